// SPDX-License-Identifier: MIT

extension StringProtocol {
  /// How many cells of a terminal the text takes.
  ///
  /// Our own table instead of `wcwidth`, which answers after the process's locale and would have
  /// it loaded at every start.
  nonisolated var displayWidth: Int {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }
}

extension Character {
  /// The cells of one grapheme. An emoji is two wide whatever is joined to it; of anything else
  /// the parts count, since vowel signs of some scripts take a cell of their own.
  nonisolated var displayWidth: Int {
    let scalars = unicodeScalars
    let isEmoji =
      scalars.first?.properties.isEmojiPresentation == true
      || scalars.contains { $0.value == 0xfe0f }
    return isEmoji ? 2 : scalars.reduce(0) { $0 + $1.displayWidth }
  }
}

extension Unicode.Scalar {
  /// Zero, one or two cells.
  nonisolated var displayWidth: Int {
    if value < 0x300 { return value < 0x20 || (0x7f...0x9f).contains(value) ? 0 : 1 }
    if isWide { return 2 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator:
      return 0
    default:
      // The vowels and final consonants of Hangul join the syllable before them.
      return (0x1160...0x11ff).contains(value) ? 0 : 1
    }
  }

  /// The blocks whose characters are wide or fullwidth (Unicode Standard Annex 11), and emoji.
  private nonisolated var isWide: Bool {
    guard value >= 0x1100 else { return false }
    switch value {
    case 0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x3029, 0x302e...0x303e, 0x3041...0x3098,
      0x309b...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19,
      0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18d08, 0x1aff0...0x1b2ff,
      0x1f200...0x1f265, 0x20000...0x3fffd:
      return true
    default:
      return properties.isEmojiPresentation
    }
  }
}
