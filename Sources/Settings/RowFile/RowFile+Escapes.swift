// SPDX-License-Identifier: MIT

/// A `\` in a value that begins no escape.
struct EscapeError: Error {
  /// The escape as written, such as `\q`, or `\` at the end of the value.
  var escape: String
}

/// Undoing the escapes of values: `\s \n \t \r \\ \;`.
extension RowFile {
  /// The text that `value` spells.
  static func text(_ value: String) throws(EscapeError) -> String {
    guard value.utf8.contains(UInt8(ascii: "\\")) else { return value }
    var result: [UInt8] = []
    var bytes = value.utf8.makeIterator()
    while let byte = bytes.next() {
      if byte == UInt8(ascii: "\\") {
        result.append(try unescaped(bytes.next(), in: value))
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The items that `value` lists, separated by `;`; one more at the end does not count, `\;` does
  /// not separate, and the white space around an item is cut off (`\s` keeps it).
  static func list(_ value: String) throws(EscapeError) -> [String] {
    var items: [String] = []
    var start = value.startIndex
    var isEscaped = false
    for index in value.utf8.indices {
      let byte = value.utf8[index]
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: ";") {
        items.append(try text(trimmed(value[start..<index])))
        start = value.utf8.index(after: index)
      }
    }
    let rest = trimmed(value[start...])
    if !rest.isEmpty { items.append(try text(rest)) }
    return items
  }

  private static func trimmed(_ text: Substring) -> String {
    let isBlank = { (character: UInt8) in
      character == UInt8(ascii: " ") || character == UInt8(ascii: "\t")
    }
    var utf8 = text.utf8.drop(while: isBlank)
    while let last = utf8.last, isBlank(last) { utf8.removeLast() }
    return String(Substring(utf8))
  }

  private static func unescaped(_ byte: UInt8?, in value: String) throws(EscapeError) -> UInt8 {
    switch byte {
    case UInt8(ascii: "s"): return UInt8(ascii: " ")
    case UInt8(ascii: "n"): return UInt8(ascii: "\n")
    case UInt8(ascii: "t"): return UInt8(ascii: "\t")
    case UInt8(ascii: "r"): return UInt8(ascii: "\r")
    case UInt8(ascii: "\\"): return UInt8(ascii: "\\")
    case UInt8(ascii: ";"): return UInt8(ascii: ";")
    case .some(let byte) where byte < 0x80:
      throw EscapeError(escape: "\\" + String(UnicodeScalar(byte)))
    default: throw EscapeError(escape: "\\")
    }
  }
}
