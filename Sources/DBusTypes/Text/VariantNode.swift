// SPDX-License-Identifier: MIT

/// One value of a parsed text and where it stands.
struct VariantNode: Hashable, Sendable {
  indirect enum Kind: Hashable, Sendable {
    case boolean(Bool)
    /// Wide enough for every value from `Int64.min` to `UInt64.max`.
    case integer(Int128)
    case float(Double)
    case text(String)
    case bytes([UInt8])
    case typed(SingleType, VariantNode)
    case array([VariantNode])
    case dictionary([Pair])
    case tuple([VariantNode])
    case variant(VariantNode)
    case placeholder
  }

  struct Pair: Hashable, Sendable {
    var key: VariantNode
    var value: VariantNode
  }

  var kind: Kind
  /// In bytes from the start of the text.
  var position: Int

  /// What stands here, for error messages.
  var summary: String {
    switch kind {
    case .boolean(let value): "the boolean \(value)"
    case .integer(let number): "the number \(number)"
    case .float(let number): "the number \(number)"
    case .text(let text): "the text \(VariantTextPrinter.quoted(text))"
    case .bytes: "a byte string"
    case .typed(let type, _): "a value of type \(type)"
    case .array: "an array"
    case .dictionary: "a dictionary"
    case .tuple: "a tuple"
    case .variant: "a variant"
    case .placeholder: "%v"
    }
  }
}
