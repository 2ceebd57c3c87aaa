// SPDX-License-Identifier: MIT

/// The id of a section: `[a-z][a-z0-9_]*`, at most 64 characters.
package struct SectionID: Hashable, Sendable {
  /// The id as text.
  package let rawValue: String

  /// The section of the rows that name none, or one without a file.
  package static let other = SectionID(known: "other")

  /// The id that `text` spells, or nil where it is not one.
  package init?(_ text: some StringProtocol) {
    guard isIdentifier(text.utf8) else { return nil }
    rawValue = String(text)
  }

  private init(known text: String) {
    rawValue = text
  }
}

extension SectionID: Comparable, CustomStringConvertible {
  package static func < (left: SectionID, right: SectionID) -> Bool {
    left.rawValue < right.rawValue
  }

  package var description: String { rawValue }
}
