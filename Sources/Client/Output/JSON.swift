// SPDX-License-Identifier: MIT

/// A JSON value (RFC 8259). Members keep the order they are given in.
nonisolated indirect enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case string(String)
  case array([JSON])
  case object([Member])

  /// A key and its value.
  struct Member: Hashable, Sendable {
    var key: String
    var value: JSON

    init(_ key: String, _ value: JSON) {
      self.key = key
      self.value = value
    }
  }

  /// A string, or null for none.
  static func optional(_ text: String?) -> JSON {
    text.map { .string($0) } ?? .null
  }

  /// The value on one line, without a newline.
  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// An array with a line for each element, for people and line tools alike; ends in a newline.
  static func lines(_ elements: [JSON]) -> String {
    if elements.isEmpty { return "[]\n" }
    var text = "["
    for (index, element) in elements.enumerated() {
      text += index == 0 ? "" : ",\n "
      element.write(to: &text)
    }
    text += "]\n"
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .int(let value): text += String(value)
    case .string(let value): Self.write(value, to: &text)
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        element.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.key, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  /// A quoted string. All control characters are escaped, those above ASCII too since terminals
  /// obey them, and the two line separators that JavaScript once took for line ends.
  private static func write(_ string: String, to text: inout String) {
    text += "\""
    if string.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c }) {
      text += string
    } else {
      for scalar in string.unicodeScalars {
        switch scalar.value {
        case 0x22: text += "\\\""
        case 0x5c: text += "\\\\"
        case 0x08: text += "\\b"
        case 0x09: text += "\\t"
        case 0x0a: text += "\\n"
        case 0x0c: text += "\\f"
        case 0x0d: text += "\\r"
        case 0..<0x20, 0x7f...0x9f, 0x2028, 0x2029:
          let digits = String(scalar.value, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "\""
  }
}
