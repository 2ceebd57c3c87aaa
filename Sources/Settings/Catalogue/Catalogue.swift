// SPDX-License-Identifier: MIT

// The rows and sections that the row files describe, as one value.
//
// Invariants: every row in a catalogue is complete and checked; its section is one of the
// catalogue's; the members of a group are rows of the same catalogue and no group contains itself,
// however deep. What is wrong with a file is an entry in `errors` and never takes more away than
// what that file describes.
//
// Everything here is a pure function of the layers, what the file source answers and the catalogue
// before. Nothing blocks but the source.

/// What all row files of a search path say: the rows for one bus and their sections.
package struct Catalogue: Sendable {
  /// The rows to publish.
  package internal(set) var rows: [RowID: RowDefinition] = [:]
  /// The ids of `rows` as people see them: by section, order and id.
  package internal(set) var order: [RowID] = []
  /// The sections, whether rows stand in them or not; `other` is always there.
  package internal(set) var sections: [SectionID: SectionDefinition] = [.other: .other]
  /// What is wrong, sorted by file and line.
  package internal(set) var errors: [ConfigError] = []
  /// Whether a directory is there that could not be read: what it had before counts until it can.
  package internal(set) var isPartial = false
  /// What is allowed and yet has no effect, or hardly the one that is meant, sorted by file and
  /// line.
  package internal(set) var warnings: [ConfigError] = []
  /// The directories to watch for changes: those of the layers, there or not, those of drop-ins
  /// that are there, and those above them that others could change.
  package internal(set) var directories: [String] = []

  /// The rows that files describe and that are not published: hidden, without their program, or
  /// of the other bus.
  var unpublished: [RowID: RowDefinition] = [:]
  /// What to go by where the next catalogue's files can't be read, or be trusted.
  var memory = FileMemory()
  /// The drop-ins that are in effect, by path.
  var dropIns: [String: RowFile] = [:]

  /// A catalogue of no files.
  package init() {}

  /// Reads the files of `layers`, a later one winning over an earlier, and keeps the rows for the
  /// bus of `scope`.
  ///
  /// A file that is wrong is reported and passed over; where `previous`, the catalogue before,
  /// has a version of that same file, that one stays. What can't be read, or could be changed by
  /// others, is what it was in `previous`.
  package static func load(
    layers: [CatalogueLayer], scope: Scope, from files: some FileSource,
    previous: Catalogue = Catalogue()
  ) -> Catalogue {
    var loader = CatalogueLoader(layers: layers, scope: scope, files: files, previous: previous)
    return loader.load()
  }

  /// The definition that `path` gave for `id`, published or not.
  func row(_ id: RowID, from path: String) -> RowDefinition? {
    guard let row = rows[id] ?? unpublished[id], row.file == path else { return nil }
    return row
  }
}
