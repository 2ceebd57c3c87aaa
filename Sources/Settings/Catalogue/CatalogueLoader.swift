// SPDX-License-Identifier: MIT

/// Builds a catalogue from the files of a search path.
struct CatalogueLoader<Files: FileSource> {
  /// A row that was read, with the places that later findings are about.
  struct Loaded {
    var row: RowDefinition
    var sectionPlace: Place
    var membersPlace: Place
  }

  let layers: [CatalogueLayer]
  let scope: Scope
  var files: LastingFiles<Files>
  let previous: Catalogue

  var result = Catalogue()
  /// The rows that are published, unless the groups among them turn out wrong.
  var loaded: [RowID: Loaded] = [:]
  /// The ids that have files and no row: masked or wrong.
  var failed: Set<RowID> = []

  init(layers: [CatalogueLayer], scope: Scope, files: Files, previous: Catalogue) {
    self.layers = layers
    self.scope = scope
    self.files = LastingFiles(files, before: previous.memory)
    self.previous = previous
  }

  mutating func load() -> Catalogue {
    let index = CatalogueIndex(layers, from: &files)
    result.errors = index.errors
    result.directories = layers.map(\.directory)
    loadSections(index)
    for (id, row) in index.rows {
      loadRow(id, row)
    }
    checkSections()
    checkGroups()
    result.rows = loaded.mapValues(\.row)
    result.order = sortedIDs()
    result.directories += files.weakPlaces.subtracting(result.directories)
    result.directories[layers.count...].sort()
    result.isPartial = files.isPartial
    result.memory = files.memory
    result.errors.sort()
    result.warnings.sort()
    return result
  }

  private func sortedIDs() -> [RowID] {
    let keys = result.rows.values.map { row in
      (
        section: result.sections[row.section]?.order ?? 0, sectionID: row.section, order: row.order,
        id: row.id
      )
    }
    return keys.sorted {
      ($0.section, $0.sectionID, $0.order, $0.id) < ($1.section, $1.sectionID, $1.order, $1.id)
    }.map(\.id)
  }

  // MARK: Findings

  mutating func fail(_ path: String, _ message: String) {
    result.errors.append(ConfigError(file: path, line: 0, message: message))
  }

  mutating func fail(_ place: Place, _ message: String) {
    result.errors.append(ConfigError(file: place.file, line: place.line, message: message))
  }

  mutating func warn(_ place: Place, _ message: String) {
    result.warnings.append(ConfigError(file: place.file, line: place.line, message: message))
  }

  // MARK: Sections

  private mutating func loadSections(_ index: CatalogueIndex) {
    for (id, items) in index.sections {
      for item in items.reversed() where loadSection(id, item) { break }
    }
  }

  /// Whether the file at `item` settles what the section is.
  private mutating func loadSection(_ id: SectionID, _ item: CatalogueIndex.Item) -> Bool {
    let (content, error) = files.read(item.path)
    if let error { result.errors.append(error) }
    switch content.parsed(item.path) {
    case .missing: return false
    case .mask: return true
    case .wrong(_, let errors):
      result.errors += errors
    case .source(let source):
      var findings = Findings()
      if let section = SectionDefinition.read(source, id: id, findings: &findings) {
        result.sections[id] = section
        return true
      }
      result.errors += findings.all(in: item.path)
    }
    guard let before = previous.sections[id], before.file == item.path else { return false }
    result.sections[id] = before
    return true
  }

  /// Puts rows whose section has no file into `other`.
  private mutating func checkSections() {
    for (id, item) in loaded where result.sections[item.row.section] == nil {
      fail(
        item.sectionPlace,
        "there is no file for the section '\(item.row.section)'; "
          + "expected \(item.row.section).section, and the row goes to 'other'")
      loaded[id]?.row.section = .other
    }
  }
}

/// What a row, section or drop-in file came to.
enum ParsedFile {
  case missing
  case mask
  case source(RowFile)
  /// What could be read of it, and what is wrong.
  case wrong(RowFile?, [ConfigError])
}

extension FileContent {
  /// Reads the syntax of the file, which is at `path`, and of `row` where it is of one.
  func parsed(_ path: String, of row: RowID? = nil) -> ParsedFile {
    switch self {
    case .missing: return .missing
    case .mask, .bytes([]): return .mask
    case .tooLarge: return .wrong(RowFileParser.tooLarge, path)
    case .notRegular(let kind): return .wrong("this is \(kind); expected a regular file", path)
    case .unreadable(let reason): return .wrong(nil, [.unreadable(path, reason)])
    case .untrusted(let weakness):
      return .wrong(nil, [.untrusted(path, weakness, isKept: false, of: row)])
    case .bytes(let bytes):
      let (source, findings) = RowFileParser.parse(bytes, file: path)
      return findings.isEmpty ? .source(source) : .wrong(source, findings.all(in: path))
    }
  }
}

extension ParsedFile {
  fileprivate static func wrong(_ message: String, _ path: String) -> ParsedFile {
    .wrong(nil, [ConfigError(file: path, line: 0, message: message)])
  }
}
