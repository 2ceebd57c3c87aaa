// SPDX-License-Identifier: MIT

/// A sequence of complete types, such as `sa{sv}as`. Specification: "Valid Signatures".
///
/// At most 255 bytes, 32 nested arrays and 32 nested structures.
package struct Signature: Hashable, Sendable {
  /// The longest signature, in bytes.
  package static let longest = 255

  /// The signature as it is written on the wire.
  package let rawValue: String
  /// The complete types in order.
  package let types: [SingleType]

  /// No types at all: what a call without arguments has.
  package static let empty = Signature(rawValue: "", types: [])

  private init(rawValue: String, types: [SingleType]) {
    self.rawValue = rawValue
    self.types = types
  }

  /// Parses a signature; nil when it does not follow the specification.
  package init?(_ text: String) {
    var parser = SignatureParser(text)
    guard let types = parser.parseAll() else { return nil }
    self.init(rawValue: text, types: types)
  }

  /// The signature of `types`; nil when they exceed the limits, a structure is empty or a
  /// dictionary's key is not basic.
  package init?(_ types: [SingleType]) {
    var code = ""
    for type in types {
      // Printing would recurse as deep as the type nests, so its depth is checked first.
      guard type.isWithinLimits(arrays: 0, structures: 0) else { return nil }
      type.appendCode(to: &code)
    }
    guard code.utf8.count <= Self.longest else { return nil }
    self.init(rawValue: code, types: types)
  }

  /// The only type; nil when there are none or several.
  package var single: SingleType? {
    types.count == 1 ? types.first : nil
  }
}

extension Signature: CustomStringConvertible {
  package var description: String { rawValue }
}

extension Signature: ExpressibleByStringLiteral {
  /// A literal that is no signature is a bug in this program, so it traps.
  package init(stringLiteral literal: StaticString) {
    guard let signature = Signature(literal.description) else {
      preconditionFailure("not a valid signature: \(literal)")
    }
    self = signature
  }
}

extension SingleType {
  /// Parses one complete type; nil when `code` is not exactly one.
  package init?(code: String) {
    guard let type = Signature(code)?.single else { return nil }
    self = type
  }

  /// Whether libdbus would take this type's signature.
  package var isValid: Bool {
    isBasic || Signature([self]) != nil
  }

  fileprivate func isWithinLimits(arrays: Int, structures: Int) -> Bool {
    switch self {
    case .array(let element):
      arrays < NestingLimit.arrays
        && element.isWithinLimits(arrays: arrays + 1, structures: structures)
    case .dictionary(let key, let value):
      arrays < NestingLimit.arrays && key.isBasic
        && value.isWithinLimits(arrays: arrays + 1, structures: structures)
    case .structure(let members):
      structures < NestingLimit.structures && !members.isEmpty
        && members.allSatisfy { $0.isWithinLimits(arrays: arrays, structures: structures + 1) }
    default:
      true
    }
  }
}
