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

  /// Whether a directory is there that can't be read now.
  private(set) var isPartial = false

  /// Looks through `layers`. A directory that can't be read has what it had in `previous`: what
  /// can't be seen is not gone.
  init(_ layers: [CatalogueLayer], from files: some FileSource, previous: Catalogue) {
    for layer in layers {
      switch files.list(layer.directory) {
      case .missing: break
      case .unreadable(let reason):
        isPartial = true
        errors.append(
          ConfigError(
            file: layer.directory, line: 0, message: "the directory can't be read: \(reason)"))
        for name in previous.names(in: layer.directory) { add(name, in: layer) }
      case .untrusted(let weakness):
        errors.append(.untrusted(directory: layer.directory, weakness))
      case .names(let names):
        for name in names.sorted() { add(name, in: layer) }
      }
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

extension ConfigError {
  /// What is said of a directory that counts for nothing because others could change it.
  static func untrusted(directory: String, _ weakness: String) -> ConfigError {
    ConfigError(
      file: directory, line: 0,
      message: "nothing here is read, as others than root could change it: \(weakness)")
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

extension Catalogue {
  /// The names in `directory` of the files and of the drop-in directories that counted.
  fileprivate func names(in directory: String) -> [String] {
    let prefix = directory + "/"
    var paths = rows.values.map(\.file) + unpublished.values.map(\.file)
    paths += sections.values.map(\.file)
    paths += dropIns.keys
    let names = paths.filter { $0.hasPrefix(prefix) }.map { path in
      String(path.dropFirst(prefix.count).prefix { $0 != "/" })
    }
    return Set(names).sorted()
  }
}
