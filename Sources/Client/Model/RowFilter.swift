// SPDX-License-Identifier: MIT

import Settings

/// The words of `list WORD...`: a row matches if it has every one of them somewhere.
nonisolated struct RowFilter {
  private let words: [[Character]]

  init(_ words: [String]) {
    self.words = words.map(Self.folded)
  }

  /// Whether `row`, in `section`, has every word in its id, title, subtitle, keywords or section
  /// title, in any language and whatever the case.
  func matches(_ row: RowSnapshot, in section: SectionSnapshot?) -> Bool {
    if words.isEmpty { return true }
    var texts =
      [row.id, row.section] + row.keywords + row.title.all.values + row.subtitle.all.values
    if let section { texts += section.title.all.values }
    let folded = texts.map(Self.folded)
    return words.allSatisfy { word in
      folded.contains { Self.contains($0, word) }
    }
  }

  private static func folded(_ text: String) -> [Character] {
    text.lowercased().map { $0 == "-" ? "_" : $0 }
  }

  /// Whether `part` occurs in `whole`, compared as characters so that composed and decomposed
  /// letters are the same.
  private static func contains(_ whole: [Character], _ part: [Character]) -> Bool {
    if part.isEmpty { return true }
    guard part.count <= whole.count else { return false }
    return (0...(whole.count - part.count)).contains { start in
      whole[start..<start + part.count].elementsEqual(part)
    }
  }
}
