// SPDX-License-Identifier: MIT

/// Where a catalogue gets its files from; nothing in this module opens one itself.
package protocol FileSource {
  /// The names in the directory at the path.
  func list(_ directory: String) -> DirectoryContent

  /// What the file at the path holds. Never blocks: a fifo is `.notRegular`.
  func read(_ path: String) -> FileContent

  /// Whether the program, a name or an absolute path, can be run here (TryExec).
  func hasProgram(_ program: String) -> Bool
}

/// What became of listing a directory.
package enum DirectoryContent: Hashable, Sendable {
  /// The names in it, in any order.
  case names([String])
  /// There is none.
  case missing
  /// The system's reason why it can't be read.
  case unreadable(String)
  /// Somebody could change what is in it who is not meant to: how, and by which directory, this one
  /// or one above it.
  case untrusted(String, by: String)
}

/// What became of reading a file.
package enum FileContent: Hashable, Sendable {
  /// All of its bytes.
  case bytes([UInt8])
  /// It is empty or a link to /dev/null: what it stands for is taken away.
  case mask
  /// There is none.
  case missing
  /// It has more than `FileContent.sizeLimit` bytes.
  case tooLarge
  /// It is something else, such as "a directory".
  case notRegular(String)
  /// The system's reason why it can't be read.
  case unreadable(String)
  /// Somebody could change it who is not meant to: how.
  case untrusted(String)

  /// The most bytes that a file may have, 64 KiB.
  package static let sizeLimit = RowFile.sizeLimit
}
