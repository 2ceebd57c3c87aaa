// SPDX-License-Identifier: MIT

/// A word of a command line: its quotes are taken off, and its escapes are what they stand for.
struct CommandWord {
  /// How a byte of it was written, which a shell would go by.
  enum Writing {
    case bare
    case inDoubleQuotes
    /// In `'…'` or as an escape.
    case literal
  }

  private(set) var bytes: [UInt8] = []
  /// How each of the bytes was written.
  private(set) var writings: [Writing] = []

  mutating func append(_ more: [UInt8], _ writing: Writing) {
    bytes += more
    writings += more.map { _ in writing }
  }
}
