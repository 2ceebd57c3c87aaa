// SPDX-License-Identifier: MIT

/// One complete D-Bus type. Specification: "Type System".
package indirect enum SingleType: Hashable, Sendable {
  /// `y`, an unsigned byte.
  case byte
  /// `b`.
  case boolean
  /// `n`.
  case int16
  /// `q`.
  case uint16
  /// `i`.
  case int32
  /// `u`.
  case uint32
  /// `x`.
  case int64
  /// `t`.
  case uint64
  /// `d`.
  case double
  /// `s`.
  case string
  /// `o`.
  case objectPath
  /// `g`.
  case signature
  /// `h`, a file descriptor passed beside the message.
  case unixDescriptor
  /// `v`.
  case variant
  /// `a` and the type of the elements.
  case array(SingleType)
  /// `a{…}`: a key of a basic type and a value.
  case dictionary(key: SingleType, value: SingleType)
  /// `(…)`: at least one member.
  case structure([SingleType])

  /// Whether this is one of the thirteen types that hold no other.
  package var isBasic: Bool {
    switch self {
    case .variant, .array, .dictionary, .structure: false
    default: true
    }
  }

  /// The signature of this type, such as `a{sv}`.
  package var code: String {
    var code = ""
    appendCode(to: &code)
    return code
  }

  func appendCode(to code: inout String) {
    switch self {
    case .byte: code += "y"
    case .boolean: code += "b"
    case .int16: code += "n"
    case .uint16: code += "q"
    case .int32: code += "i"
    case .uint32: code += "u"
    case .int64: code += "x"
    case .uint64: code += "t"
    case .double: code += "d"
    case .string: code += "s"
    case .objectPath: code += "o"
    case .signature: code += "g"
    case .unixDescriptor: code += "h"
    case .variant: code += "v"
    case .array(let element):
      code += "a"
      element.appendCode(to: &code)
    case .dictionary(let key, let value):
      code += "a{"
      key.appendCode(to: &code)
      value.appendCode(to: &code)
      code += "}"
    case .structure(let members):
      code += "("
      for member in members {
        member.appendCode(to: &code)
      }
      code += ")"
    }
  }

  init?(basicCode code: UInt8) {
    switch code {
    case UInt8(ascii: "y"): self = .byte
    case UInt8(ascii: "b"): self = .boolean
    case UInt8(ascii: "n"): self = .int16
    case UInt8(ascii: "q"): self = .uint16
    case UInt8(ascii: "i"): self = .int32
    case UInt8(ascii: "u"): self = .uint32
    case UInt8(ascii: "x"): self = .int64
    case UInt8(ascii: "t"): self = .uint64
    case UInt8(ascii: "d"): self = .double
    case UInt8(ascii: "s"): self = .string
    case UInt8(ascii: "o"): self = .objectPath
    case UInt8(ascii: "g"): self = .signature
    case UInt8(ascii: "h"): self = .unixDescriptor
    default: return nil
    }
  }
}

extension SingleType: CustomStringConvertible {
  package var description: String { code }
}
