// SPDX-License-Identifier: MIT

/// How one row comes out of its files in all layers.
extension CatalogueLoader {
  private typealias Item = CatalogueIndex.Item

  /// What the files of some layers come to.
  private struct Resolution {
    enum Outcome {
      /// There is no file, or none that is right.
      case absent
      case masked
      case row(Loaded)
      /// A file of the administrator's is wrong, and says that the row is locked: showing the
      /// row of a lower layer, which is not, would undo what the administrator meant.
      case withheld
    }

    var outcome = Outcome.absent
    var errors: [ConfigError] = []
    var warnings: [ConfigError] = []
    /// The drop-ins that are in effect.
    var dropIns: [RowFile] = []
    /// Whether what was found says that the row is locked.
    var isLocked = false

    /// Whether this is a row of another bus than `scope`'s: its daemon reports what is wrong.
    func isElsewhere(than scope: Scope) -> Bool {
      if case .row(let item) = outcome { item.row.scope != scope } else { false }
    }
  }

  mutating func loadRow(_ id: RowID, _ row: CatalogueIndex.Row) {
    result.directories += row.dropInDirectories.map(\.path)
    var resolution: Resolution
    if row.hasUserLayer {
      let administrators = CatalogueIndex.Row(
        files: row.files.filter { !$0.isUserLayer },
        dropInDirectories: row.dropInDirectories.filter { !$0.isUserLayer })
      resolution = resolve(id, administrators)
      if resolution.isLocked {
        refuse(id, row)
      } else {
        resolution = resolve(id, row)
      }
    } else {
      resolution = resolve(id, row)
    }
    result.errors += resolution.errors
    result.warnings += resolution.warnings
    take(id, resolution)
    // The session's layers are those of the system and more: a row may be in what only it sees.
    if row.files.isEmpty, scope == .session {
      for directory in row.dropInDirectories {
        warn(
          Place(file: directory.path, line: 0),
          "there is no row '\(id)' for these drop-ins; expected \(id).row")
      }
    }
  }

  /// Notes that nothing the user's layer says about a locked row counts.
  private mutating func refuse(_ id: RowID, _ row: CatalogueIndex.Row) {
    for item in row.files where item.isUserLayer {
      let verb = files.read(item.path).content.isMask ? "masked" : "replaced"
      fail(item.path, "the row '\(id)' is locked by the administrator and can't be \(verb) here")
    }
    for directory in row.dropInDirectories where directory.isUserLayer {
      for name in files.list(directory.path).names where isDropIn(name) {
        fail(
          directory.path + "/" + name,
          "the row '\(id)' is locked by the administrator and can't be amended here")
      }
    }
  }

  private mutating func take(_ id: RowID, _ resolution: Resolution) {
    for dropIn in resolution.dropIns {
      result.dropIns[dropIn.file] = dropIn
    }
    guard case .row(let item) = resolution.outcome else {
      failed.insert(id)
      return
    }
    if item.row.scope != scope || item.row.isHidden {
      result.unpublished[id] = item.row
    } else if let program = item.row.tryExec, !files.hasProgram(program) {
      result.unpublished[id] = item.row
      warn(
        Place(file: item.row.file, line: 0),
        "the row is not published: its TryExec program \(quoted(program)) is not there")
    } else {
      loaded[id] = item
    }
  }

  // MARK: Layers

  private mutating func resolve(_ id: RowID, _ row: CatalogueIndex.Row) -> Resolution {
    var resolution = Resolution()
    var dropInErrors: [ConfigError] = []
    let dropIns = loadDropIns(id, row.dropInDirectories, &dropInErrors)
    for item in row.files.reversed() {
      if settle(id, item, dropIns, &resolution) { break }
    }
    if !resolution.isElsewhere(than: scope) { resolution.errors += dropInErrors }
    if case .absent = resolution.outcome {
      resolution.isLocked = resolution.isLocked || dropIns.contains(where: \.source.declaresLock)
    }
    return resolution
  }

  /// Whether the file at `item` settles what the row is; else a lower layer's may.
  private mutating func settle(
    _ id: RowID, _ item: Item, _ dropIns: [RowBuilder.DropIn], _ resolution: inout Resolution
  ) -> Bool {
    let wrong: RowFile?
    var errors: [ConfigError]
    let (content, error) = files.read(item.path)
    if let error { resolution.errors.append(error) }
    switch content.parsed(item.path, of: id) {
    case .missing: return false
    case .mask:
      resolution.outcome = .masked
      return true
    case .wrong(let source, let found):
      (wrong, errors) = (source, found)
    case .source(let source):
      var builder = RowBuilder(id: id, dropIns: dropIns)
      switch builder.build(source) {
      case .success(let row):
        let merged = builder.merged(source)
        if item.isUserLayer, row.scope != scope {
          let message =
            "the row is for the \(row.scope.rawValue) bus, whose daemon does not read this "
            + "directory; expected Bus=\(scope.rawValue)"
          resolution.errors.append(
            ConfigError(file: item.path, line: merged.place("Row", "Bus").line, message: message))
          return false
        }
        if row.scope == scope {
          resolution.errors += builder.errors
          resolution.warnings += merged.shellWarnings
        }
        resolution.dropIns = builder.dropIns.map(\.source)
        resolution.isLocked = row.isLocked
        resolution.outcome = .row(
          Loaded(
            row: row, sectionPlace: merged.place("Row", "Section"),
            membersPlace: merged.place("Backend", row.backend.membersKey ?? "Type")))
        return true
      case .failure(let problem):
        wrong = builder.merged(source)
        errors = builder.errors + problem.errors
      }
    }
    // What is wrong with a row of the other bus is reported by the daemon there.
    let declared = wrong?.declaredScope ?? scope
    if declared == scope || item.isUserLayer { resolution.errors += errors }
    return keep(id, item, wrong, &resolution)
  }

  /// Falls back on the version before of a file that is wrong.
  private func keep(
    _ id: RowID, _ item: Item, _ wrong: RowFile?, _ resolution: inout Resolution
  ) -> Bool {
    let declaresLock = wrong?.declaresLock ?? false
    if let before = previous.row(id, from: item.path) {
      let place = Place(file: item.path, line: 0)
      resolution.outcome = .row(Loaded(row: before, sectionPlace: place, membersPlace: place))
      resolution.isLocked = before.isLocked || declaresLock
      return true
    }
    guard declaresLock, !item.isUserLayer else { return false }
    resolution.outcome = .withheld
    resolution.isLocked = true
    return true
  }

  // MARK: Drop-ins

  private func isDropIn(_ name: String) -> Bool {
    name.utf8.first != UInt8(ascii: ".") && name.stem(before: ".conf") != nil
  }

  /// The row's drop-ins in all `directories` by name, of each name the one of the last layer.
  private mutating func loadDropIns(
    _ id: RowID, _ directories: [Item], _ errors: inout [ConfigError]
  ) -> [RowBuilder.DropIn] {
    var paths: [String: String] = [:]
    for directory in directories {
      let (names, error) = files.list(directory.path, of: id)
      if let error { errors.append(error) }
      for name in names where isDropIn(name) { paths[name] = directory.path + "/" + name }
    }
    var dropIns: [RowBuilder.DropIn] = []
    for (_, path) in paths.sorted(by: { $0.key < $1.key }) {
      let before = previous.dropIns[path]
      let (content, error) = files.read(path)
      if let error { errors.append(error) }
      switch content.parsed(path, of: id) {
      case .missing, .mask: break
      case .source(let source):
        dropIns.append(RowBuilder.DropIn(source: source, previous: before))
      case .wrong(_, let found):
        errors += found
        if let before { dropIns.append(RowBuilder.DropIn(source: before, previous: nil)) }
      }
    }
    return dropIns
  }
}

extension RowFile {
  /// Where `key` of `group` stands; the file as a whole where it is not there.
  fileprivate func place(_ group: String, _ key: String) -> Place {
    self.group(group)?.entries.first { $0.key == key }?.place ?? Place(file: file, line: 0)
  }
}

extension FileContent {
  fileprivate var isMask: Bool {
    switch self {
    case .mask, .bytes([]): true
    default: false
    }
  }
}
