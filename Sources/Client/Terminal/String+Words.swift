// SPDX-License-Identifier: MIT

extension String {
  /// Whether `word` occurs with no letter, digit or underscore of ASCII on either side.
  nonisolated func contains(word: String) -> Bool {
    let text = Array(utf8)
    let wanted = Array(word.utf8)
    guard !wanted.isEmpty, wanted.count <= text.count else { return false }
    for start in 0...(text.count - wanted.count)
    where text[start..<start + wanted.count].elementsEqual(wanted) {
      let end = start + wanted.count
      let startsWord = start == 0 || !text[start - 1].isWordByte
      if startsWord, end == text.count || !text[end].isWordByte { return true }
    }
    return false
  }
}

extension UInt8 {
  /// An ASCII letter, digit or underscore.
  fileprivate nonisolated var isWordByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
