// SPDX-License-Identifier: MIT

/// Writes values in GVariant's text format.
enum VariantTextPrinter {
  /// Appends `value`; `isAnnotated` adds what a reader without the type needs.
  static func append(_ value: Value, isAnnotated: Bool, to text: inout String) {
    func keyword(_ word: String) {
      if isAnnotated { text += word + " " }
    }
    switch value {
    case .boolean(let value): text += value ? "true" : "false"
    case .byte(let value):
      keyword("byte")
      text += "0x" + (value < 16 ? "0" : "") + String(value, radix: 16)
    case .int16(let value):
      keyword("int16")
      text += String(value)
    case .uint16(let value):
      keyword("uint16")
      text += String(value)
    case .int32(let value): text += String(value)
    case .uint32(let value):
      keyword("uint32")
      text += String(value)
    case .int64(let value):
      keyword("int64")
      text += String(value)
    case .uint64(let value):
      keyword("uint64")
      text += String(value)
    case .double(let value): text += number(value)
    case .string(let value): text += quoted(value)
    case .objectPath(let path):
      keyword("objectpath")
      text += "'" + path.rawValue + "'"
    case .signature(let signature):
      keyword("signature")
      text += "'" + signature.rawValue + "'"
    case .unixDescriptor(let descriptor):
      keyword("handle")
      text += String(descriptor.number)
    case .variant(let inner):
      text += "<"
      append(inner, isAnnotated: true, to: &text)
      text += ">"
    case .array(_, let elements):
      appendArray(value, elements, isAnnotated: isAnnotated, to: &text)
    case .dictionary(_, _, let entries):
      appendDictionary(value, entries, isAnnotated: isAnnotated, to: &text)
    case .structure(let members):
      text += "("
      for (index, member) in members.enumerated() {
        if index > 0 { text += ", " }
        append(member, isAnnotated: isAnnotated, to: &text)
      }
      text += members.count == 1 ? ",)" : ")"
    }
  }

  private static func appendArray(
    _ value: Value, _ elements: [Value], isAnnotated: Bool, to text: inout String
  ) {
    if elements.isEmpty, isAnnotated { text += "@\(value.type) " }
    text += "["
    for (index, element) in elements.enumerated() {
      if index > 0 { text += ", " }
      // One annotated element types the rest.
      append(element, isAnnotated: isAnnotated && index == 0, to: &text)
    }
    text += "]"
  }

  private static func appendDictionary(
    _ value: Value, _ entries: [Value.Entry], isAnnotated: Bool, to text: inout String
  ) {
    if entries.isEmpty, isAnnotated { text += "@\(value.type) " }
    text += "{"
    for (index, entry) in entries.enumerated() {
      if index > 0 { text += ", " }
      append(entry.key, isAnnotated: isAnnotated && index == 0, to: &text)
      text += ": "
      append(entry.value, isAnnotated: isAnnotated && index == 0, to: &text)
    }
    text += "}"
  }

  private static func number(_ value: Double) -> String {
    // The shortest text that reads back as the same number; always one that reads as a double.
    value.isNaN ? "nan" : value.description
  }

  /// The text in quotes, with what does not print escaped.
  static func quoted(_ text: String) -> String {
    let quote: Unicode.Scalar = text.utf8.contains(UInt8(ascii: "'")) ? "\"" : "'"
    var result = String(quote)
    for scalar in text.unicodeScalars {
      switch scalar {
      case quote, "\\": result += "\\" + String(scalar)
      case "\u{07}": result += "\\a"
      case "\u{08}": result += "\\b"
      case "\u{0C}": result += "\\f"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{0B}": result += "\\v"
      default:
        if isPrinting(scalar) {
          result.unicodeScalars.append(scalar)
        } else {
          result += escaped(scalar)
        }
      }
    }
    result.unicodeScalars.append(quote)
    return result
  }

  private static func isPrinting(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value < 0x7F }
    return switch scalar.properties.generalCategory {
    case .control, .format, .unassigned, .surrogate: false
    default: true
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    let width = scalar.value > 0xFFFF ? 8 : 4
    return (width == 8 ? "\\U" : "\\u") + String(repeating: "0", count: width - digits.utf8.count)
      + digits
  }
}

extension Value {
  /// The value in GVariant's text format, with the types a reader needs: `uint32 1`, `@as []`.
  ///
  /// Doubles are written in the shortest form that reads back as the same number.
  package var text: String {
    text(isAnnotated: true)
  }

  /// The value in GVariant's text format; without annotations `uint32 1` is `1`.
  package func text(isAnnotated: Bool) -> String {
    var text = ""
    VariantTextPrinter.append(self, isAnnotated: isAnnotated, to: &text)
    return text
  }
}
