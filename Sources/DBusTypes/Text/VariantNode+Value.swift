// SPDX-License-Identifier: MIT

extension VariantNode {
  /// The value with the type that the text gives by itself.
  func inferredValue(placeholder: Value?) throws(VariantTextError) -> Value {
    let pattern = try VariantPattern(self, placeholder: placeholder?.type)
    guard let type = pattern.defaultType else {
      throw VariantTextError(
        "the type of \(summary) cannot be told: write it before the value, as in @as []",
        at: position)
    }
    return try value(as: type, placeholder: placeholder)
  }

  /// The value as a `type`; `placeholder` stands where the text has `%v`.
  func value(as type: SingleType, placeholder: Value?) throws(VariantTextError) -> Value {
    switch (kind, type) {
    case (.typed(let own, let inner), _):
      guard own == type else { throw mismatch(type) }
      return try inner.value(as: type, placeholder: placeholder)
    case (.placeholder, _):
      guard let placeholder else {
        throw VariantTextError("%v has no value here: expected a value", at: position)
      }
      guard placeholder.hasType(type) else {
        throw VariantTextError(
          "%v stands for a value of type \(placeholder.type), expected \(type)", at: position)
      }
      return placeholder
    case (.boolean(let value), .boolean):
      return .boolean(value)
    case (.integer(let number), _):
      return try value(of: number, as: type)
    case (.float(let number), .double):
      return .double(number)
    case (.text(let text), _):
      return try value(of: text, as: type)
    case (.bytes(let bytes), .array(.byte)):
      return .array(of: .byte, bytes.map { .byte($0) })
    case (.variant(let inner), .variant):
      return .variant(try inner.inferredValue(placeholder: placeholder))
    case (.array(let elements), .array(let element)):
      var values: [Value] = []
      values.reserveCapacity(elements.count)
      for node in elements {
        values.append(try node.value(as: element, placeholder: placeholder))
      }
      return .array(of: element, values)
    case (.dictionary(let pairs), .dictionary(let keyType, let valueType)):
      var entries: [Value.Entry] = []
      for pair in pairs {
        entries.append(
          Value.Entry(
            try pair.key.value(as: keyType, placeholder: placeholder),
            try pair.value.value(as: valueType, placeholder: placeholder)))
      }
      return .dictionary(key: keyType, value: valueType, entries: entries)
    case (.tuple(let nodes), .structure(let types)) where nodes.count == types.count:
      var members: [Value] = []
      for (node, type) in zip(nodes, types) {
        members.append(try node.value(as: type, placeholder: placeholder))
      }
      return .structure(members)
    default:
      throw mismatch(type)
    }
  }

  private func value(
    of number: Int128, as type: SingleType
  ) throws(VariantTextError) -> Value {
    let value: Value? =
      switch type {
      case .byte: UInt8(exactly: number).map { .byte($0) }
      case .int16: Int16(exactly: number).map { .int16($0) }
      case .uint16: UInt16(exactly: number).map { .uint16($0) }
      case .int32: Int32(exactly: number).map { .int32($0) }
      case .uint32: UInt32(exactly: number).map { .uint32($0) }
      case .int64: Int64(exactly: number).map { .int64($0) }
      case .uint64: UInt64(exactly: number).map { .uint64($0) }
      case .double: .double(Double(number))
      default: throw mismatch(type)
      }
    guard let value else {
      throw VariantTextError("\(summary) is out of range for type \(type)", at: position)
    }
    return value
  }

  private func value(of text: String, as type: SingleType) throws(VariantTextError) -> Value {
    switch type {
    case .string:
      return .string(text)
    case .objectPath:
      guard let path = ObjectPath(text) else {
        throw VariantTextError("\(summary) is not an object path", at: position)
      }
      return .objectPath(path)
    case .signature:
      guard let signature = Signature(text) else {
        throw VariantTextError("\(summary) is not a signature", at: position)
      }
      return .signature(signature)
    default:
      throw mismatch(type)
    }
  }

  private func mismatch(_ type: SingleType) -> VariantTextError {
    VariantTextError("expected a value of type \(type), found \(summary)", at: position)
  }
}
