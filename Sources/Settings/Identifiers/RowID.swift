// SPDX-License-Identifier: MIT

/// The id of a row: `[a-z][a-z0-9_]*`, at most 64 characters.
///
/// So written it is an element of an object path and the name of a D-Bus property as it stands,
/// and a file name without surprises.
package struct RowID: Hashable, Sendable {
  /// The id as text.
  package let rawValue: String

  /// The id that `text` spells, or nil where it is not one.
  package init?(_ text: some StringProtocol) {
    guard isIdentifier(text.utf8) else { return nil }
    rawValue = String(text)
  }

  /// The id that `text` spells; where it is not one, an id for checking the rest of the file.
  init(orUnnamed text: Substring) {
    rawValue = isIdentifier(text.utf8) ? String(text) : "unnamed"
  }

  /// The id a person typed: `-` is taken for `_`, as on the command line.
  package init?(typed text: some StringProtocol) {
    self.init(
      String(decoding: text.utf8.map { $0 == UInt8(ascii: "-") ? 0x5f : $0 }, as: UTF8.self))
  }
}

extension RowID: Comparable, CustomStringConvertible {
  package static func < (left: RowID, right: RowID) -> Bool { left.rawValue < right.rawValue }

  package var description: String { rawValue }
}
