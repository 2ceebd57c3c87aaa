// SPDX-License-Identifier: MIT

/// What directories and files said when they were last read.
struct FileMemory: Sendable {
  /// The names in directories, by path.
  var names: [String: [String]] = [:]
  /// What files held, by path.
  var contents: [String: FileContent] = [:]
}

/// The files of a source. What can't be read now, or could be anybody's by now, is what it last
/// was: a slip of an administrator's takes no row away, and no lock.
///
/// Where others could change a directory, nothing counts but what was in it before: what they add,
/// change or take away is not looked at.
struct LastingFiles<Source: FileSource> {
  private let source: Source
  private let before: FileMemory
  /// What there is to remember of what was asked for.
  private(set) var memory = FileMemory()
  /// Whether a directory is there that can't be read now.
  private(set) var isPartial = false
  /// The directories by which others could change some of what was asked for.
  private(set) var weakPlaces: Set<String> = []
  /// What the paths of files begin with that stay as they were.
  private var frozen: [String] = []

  /// - Parameter before: what was remembered the time before.
  init(_ source: Source, before: FileMemory) {
    self.source = source
    self.before = before
  }

  /// The names in a directory, which is of `row` where it is of one, and what is wrong with it.
  mutating func list(
    _ directory: String, of row: RowID? = nil
  ) -> (names: [String], error: ConfigError?) {
    if isFrozen(directory) { return (memory.names[directory] ?? [], nil) }
    let error: ConfigError
    switch source.list(directory) {
    case .missing: return ([], nil)
    case .names(let names):
      memory.names[directory] = names
      return (names, nil)
    case .unreadable(let reason):
      isPartial = true
      memory.names[directory] = before.names[directory]
      error = ConfigError(
        file: directory, line: 0, message: "the directory can't be read: \(reason)")
    case .untrusted(let weakness, let place):
      weakPlaces.insert(place)
      freeze(directory)
      error = .untrusted(directory, weakness, isKept: before.names[directory] != nil, of: row)
    }
    return (memory.names[directory] ?? [], error)
  }

  /// What the file at `path` holds, or last held, and why it is not what it holds now.
  mutating func read(_ path: String) -> (content: FileContent, error: ConfigError?) {
    if isFrozen(path) { return (memory.contents[path] ?? .missing, nil) }
    let content = source.read(path)
    let error: ConfigError
    switch content {
    case .bytes, .mask:
      memory.contents[path] = content
      return (content, nil)
    case .missing, .tooLarge, .notRegular: return (content, nil)
    case .unreadable(let reason): error = .unreadable(path, reason)
    case .untrusted(let weakness): error = .untrusted(path, weakness, isKept: true)
    }
    guard let last = before.contents[path] else { return (content, nil) }
    memory.contents[path] = last
    return (last, error)
  }

  /// Whether the program, a name or an absolute path, can be run here.
  func hasProgram(_ program: String) -> Bool {
    source.hasProgram(program)
  }

  private func isFrozen(_ path: String) -> Bool {
    frozen.contains(where: path.hasPrefix)
  }

  private mutating func freeze(_ directory: String) {
    let prefix = directory + "/"
    frozen.append(prefix)
    for (path, names) in before.names where path == directory || path.hasPrefix(prefix) {
      memory.names[path] = names
    }
    for (path, content) in before.contents where path.hasPrefix(prefix) {
      memory.contents[path] = content
    }
  }
}

extension ConfigError {
  /// What is said of a file that the system does not let be read.
  static func unreadable(_ file: String, _ reason: String) -> ConfigError {
    ConfigError(file: file, line: 0, message: "the file can't be read: \(reason)")
  }

  /// What is said of a file or directory that others could change.
  ///
  /// - Parameters:
  ///   - isKept: whether what it said before counts.
  ///   - row: the row that it is of, where it is of one.
  static func untrusted(
    _ path: String, _ weakness: String, isKept: Bool, of row: RowID? = nil
  ) -> ConfigError {
    let cause = "as others than root could change it: \(weakness)"
    if isKept {
      return ConfigError(
        file: path, line: 0,
        message: "what was read here before counts until this is mended, so look at it first, "
          + "\(cause)")
    }
    let lock = row.map { "a lock of row '\($0)'" } ?? "a lock"
    return ConfigError(
      file: path, line: 0, message: "nothing here is read, not even \(lock), \(cause)",
      mayLoseLock: true)
  }
}
