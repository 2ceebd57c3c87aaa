// SPDX-License-Identifier: MIT

/// Which files of which layers there are for each row and section.
struct CatalogueIndex {
  /// A file or directory, by the layer it is in.
  struct Item {
    var path: String
    var isUserLayer: Bool
  }

  /// The files of a row, each list from the first layer to the last.
  struct Row {
    var files: [Item] = []
    var dropInDirectories: [Item] = []

    /// Whether the user has a say in the row.
    var hasUserLayer: Bool {
      files.contains(where: \.isUserLayer) || dropInDirectories.contains(where: \.isUserLayer)
    }
  }

  private(set) var rows: [RowID: Row] = [:]
  private(set) var sections: [SectionID: [Item]] = [:]
  /// What is wrong with directories and with names.
  private(set) var errors: [ConfigError] = []

  /// Looks through `layers`.
  init(_ layers: [CatalogueLayer], from files: inout LastingFiles<some FileSource>) {
    for layer in layers {
      let (names, error) = files.list(layer.directory)
      if let error { errors.append(error) }
      for name in names.sorted() { add(name, in: layer) }
    }
  }

  /// Files with other endings are left alone, and so are hidden ones and editors' backups.
  private mutating func add(_ name: String, in layer: CatalogueLayer) {
    guard name.utf8.first != UInt8(ascii: ".") else { return }
    let item = Item(path: layer.directory + "/" + name, isUserLayer: layer.isUserLayer)
    if let stem = name.stem(before: ".row") {
      guard let id = RowID(stem) else { return addBadName(item, stem) }
      rows[id, default: Row()].files.append(item)
    } else if let stem = name.stem(before: ".row.d") {
      guard let id = RowID(stem) else { return addBadName(item, stem) }
      rows[id, default: Row()].dropInDirectories.append(item)
    } else if let stem = name.stem(before: ".section") {
      guard let id = SectionID(stem) else { return addBadName(item, stem) }
      sections[id, default: []].append(item)
    }
  }

  private mutating func addBadName(_ item: Item, _ stem: Substring) {
    errors.append(ConfigError(file: item.path, line: 0, message: badName(stem)))
  }
}

/// What is said of a file whose name spells no id.
func badName(_ stem: Substring) -> String {
  "the name \(quoted(stem)) is not an id; expected \(identifierRule)"
}

extension String {
  /// What stands before `ending`, where this ends so.
  func stem(before ending: String) -> Substring? {
    let count = utf8.count - ending.utf8.count
    guard count >= 0 else { return nil }
    let index = utf8.index(utf8.startIndex, offsetBy: count)
    guard utf8[index...].elementsEqual(ending.utf8) else { return nil }
    return self[..<index]
  }
}
