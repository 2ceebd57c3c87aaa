// SPDX-License-Identifier: MIT

extension String {
  /// The text without what could steer a terminal or reorder the text around it: control
  /// characters go, runs of line breaks and tabs become one space, and the marks that turn the
  /// direction of writing go (a title could otherwise pass for another).
  nonisolated var printable: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x09...0x0d, 0x85, 0x2028, 0x2029:
        if result.last != " " { result.append(" ") }
      case 0..<0x20, 0x7f...0x9f, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069, 0xfeff:
        continue
      default:
        result.append(scalar)
      }
    }
    return String(result)
  }

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
