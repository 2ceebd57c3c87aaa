// SPDX-License-Identifier: MIT

extension String {
  /// The text without what could steer a terminal or reorder the text around it: control
  /// characters go, runs of line breaks and tabs become one space, and the marks that turn the
  /// direction of writing go (a title could otherwise pass for another).
  package var printable: String {
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
}
