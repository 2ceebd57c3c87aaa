// SPDX-License-Identifier: MIT

import Settings
import Testing

/// Files in memory, for catalogues.
struct MemoryFiles: FileSource {
  var contents: [String: FileContent] = [:]
  var unreadableDirectories: [String: String] = [:]
  /// Why those are not trusted that are not, by path.
  var untrustedDirectories: [String: String] = [:]
  var programs: Set<String> = []

  /// Files by path, with their text.
  init(_ texts: [String: String] = [:]) {
    contents = texts.mapValues { .bytes(Array($0.utf8)) }
  }

  /// The text of the file at `path`; nil where there is none.
  subscript(path: String) -> String? {
    get {
      guard case .bytes(let bytes) = contents[path] else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
    set { contents[path] = newValue.map { .bytes(Array($0.utf8)) } }
  }

  func list(_ directory: String) -> DirectoryContent {
    if let reason = unreadableDirectories[directory] { return .unreadable(reason) }
    if let weakness = untrustedDirectories[directory] { return .untrusted(weakness, by: "/") }
    let prefix = directory + "/"
    let names = Set(
      contents.keys.filter { $0.hasPrefix(prefix) }
        .compactMap { $0.dropFirst(prefix.count).split(separator: "/").first.map(String.init) })
    return names.isEmpty ? .missing : .names(names.sorted())
  }

  func read(_ path: String) -> FileContent {
    contents[path] ?? .missing
  }

  func hasProgram(_ program: String) -> Bool {
    programs.contains(program)
  }
}

/// A stored row's file with more keys in [Row].
func storedRow(_ title: String, _ more: String...) -> String {
  "[Row]\nTitle=\(title)\n" + more.map { $0 + "\n" }.joined() + "[Backend]\nType=stored\n"
}

/// What is wrong with a file of this text, as `check` says it of `x.row` alone.
func errors(_ text: String, in name: String = "x.row") -> [String] {
  FileCheck.errors(in: .bytes(Array(text.utf8)), at: name).map(\.description)
}

/// The row of this text, which has to be right and for the session bus.
func row(
  _ text: String, scope: Scope = .session, sourceLocation: SourceLocation = #_sourceLocation
) throws -> RowDefinition {
  let catalogue = Catalogue.load(
    layers: [CatalogueLayer("/r")], scope: scope, from: MemoryFiles(["/r/x.row": text]))
  #expect(catalogue.errors.isEmpty, sourceLocation: sourceLocation)
  let id = try #require(RowID("x"))
  return try #require(catalogue.rows[id], sourceLocation: sourceLocation)
}

/// The id that `text` spells, which has to be one.
func id(_ text: String) throws -> RowID {
  try #require(RowID(text))
}

/// Numbers that are the same for the same seed.
struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) ^ (state << 31)
  }
}
