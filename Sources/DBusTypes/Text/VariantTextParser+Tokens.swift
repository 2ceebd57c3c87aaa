// SPDX-License-Identifier: MIT

extension VariantTextParser {
  // MARK: Numbers

  /// A decimal, hexadecimal (`0x`) or octal (`0`) integer, or a decimal with a point or exponent.
  mutating func parseNumber() throws(VariantTextError) -> VariantNode.Kind {
    let start = position
    while let byte = peek, NameSyntax.isWord(byte) || "+-.".utf8.contains(byte) {
      // A sign belongs to the number at its start and after an exponent.
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") {
        let isExponentSign = position > start && bytes[position - 1] | 0x20 == UInt8(ascii: "e")
        guard position == start || isExponentSign else { break }
      }
      position += 1
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let kind = Self.number(text) else {
      throw VariantTextError(
        "\(text) is not a number, or not one of at most 64 bits", at: start)
    }
    return kind
  }

  private static func number(_ text: String) -> VariantNode.Kind? {
    let isNegative = text.hasPrefix("-")
    let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
    guard let first = digits.utf8.first else { return nil }
    if digits == "inf" { return .float(isNegative ? -.infinity : .infinity) }
    guard NameSyntax.isDigit(first) || first == UInt8(ascii: ".") else { return nil }
    let magnitude: UInt64?
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
      let hexadecimal = digits.dropFirst(2)
      // A second sign would be taken by the initialiser.
      guard hexadecimal.utf8.allSatisfy(NameSyntax.isWord) else { return nil }
      magnitude = UInt64(hexadecimal, radix: 16)
    } else if digits.utf8.allSatisfy(NameSyntax.isDigit) {
      magnitude =
        digits.utf8.count > 1 && first == UInt8(ascii: "0")
        ? UInt64(digits, radix: 8) : UInt64(digits)
    } else {
      guard digits.utf8.allSatisfy({ NameSyntax.isDigit($0) || "+-.eE".utf8.contains($0) }),
        let number = Double(text.hasPrefix("+") ? String(digits) : text)
      else { return nil }
      return .float(number)
    }
    guard let magnitude else { return nil }
    if isNegative, magnitude > Int64.min.magnitude { return nil }
    return .integer(isNegative ? -Int128(magnitude) : Int128(magnitude))
  }

  // MARK: Strings

  /// A quoted text with C-like escapes and `\uXXXX`, `\UXXXXXXXX`.
  mutating func parseString() throws(VariantTextError) -> String {
    let quote = bytes[position]
    let start = position
    position += 1
    var text: [UInt8] = []
    while let byte = peek {
      if byte == 0 { throw failure("a text cannot hold U+0000") }
      position += 1
      if byte == quote { return String(decoding: text, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard let escape = peek else { break }
      if escape == 0 { throw failure("a text cannot hold U+0000") }
      position += 1
      switch escape {
      case UInt8(ascii: "u"): try appendScalar(digits: 4, to: &text)
      case UInt8(ascii: "U"): try appendScalar(digits: 8, to: &text)
      case UInt8(ascii: "\n"): break
      default: text.append(Self.escapes[escape] ?? escape)
      }
    }
    throw VariantTextError("the text that starts here has no closing quote", at: start)
  }

  private mutating func appendScalar(
    digits: Int, to text: inout [UInt8]
  ) throws(VariantTextError) {
    let start = position - 2
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let byte = peek, let digit = Self.hexadecimalDigit(byte) else {
        throw failure("expected \(digits) hexadecimal digits, found \(here)")
      }
      value = value << 4 | digit
      position += 1
    }
    guard value != 0, let scalar = Unicode.Scalar(value) else {
      throw VariantTextError("U+\(String(value, radix: 16)) is not a character", at: start)
    }
    text.append(contentsOf: String(scalar).utf8)
  }

  /// `b'…'`: bytes with C escapes, and the zero byte at the end that GLib's byte strings have.
  mutating func parseByteString() throws(VariantTextError) -> [UInt8] {
    let quote = bytes[position]
    let start = position
    position += 1
    var text: [UInt8] = []
    while let byte = peek {
      position += 1
      if byte == quote { return text + [0] }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard let escape = peek else { break }
      if let octal = takeOctal() {
        text.append(octal)
        continue
      }
      position += 1
      if escape != UInt8(ascii: "\n") { text.append(Self.escapes[escape] ?? escape) }
    }
    throw VariantTextError("the byte string that starts here has no closing quote", at: start)
  }

  /// One to three octal digits; a value over 255 wraps as in C.
  private mutating func takeOctal() -> UInt8? {
    var value: UInt16 = 0
    var count = 0
    while count < 3, let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) {
      value = value << 3 | UInt16(byte - UInt8(ascii: "0"))
      position += 1
      count += 1
    }
    return count > 0 ? UInt8(truncatingIfNeeded: value) : nil
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
    UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    UInt8(ascii: "v"): 0x0B,
  ]

  private static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
