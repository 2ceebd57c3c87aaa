// SPDX-License-Identifier: MIT

extension Value {
  /// The boolean; nil for another type.
  package var asBoolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }

  /// The text of a string, object path or signature; nil for another type.
  package var asString: String? {
    switch self {
    case .string(let value): value
    case .objectPath(let path): path.rawValue
    case .signature(let signature): signature.rawValue
    default: nil
    }
  }

  /// Any integer type's value; nil for another type or one that `Int64` cannot hold.
  package var asInteger: Int64? {
    switch self {
    case .byte(let value): Int64(value)
    case .int16(let value): Int64(value)
    case .uint16(let value): Int64(value)
    case .int32(let value): Int64(value)
    case .uint32(let value): Int64(value)
    case .int64(let value): value
    case .uint64(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The value in a variant, however many variants it is wrapped in; itself when it is in none.
  package var unwrapped: Value {
    var value = self
    while case .variant(let inner) = value {
      value = inner
    }
    return value
  }

  /// The first entry of a dictionary with this string key, out of its variant; nil when there is
  /// none or this is no dictionary.
  package subscript(key: String) -> Value? {
    guard case .dictionary(_, _, let entries) = self else { return nil }
    return entries.first { $0.key == .string(key) }?.value.unwrapped
  }
}
