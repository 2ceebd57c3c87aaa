// SPDX-License-Identifier: MIT

/// A value of any D-Bus type. It knows its type even when it is an empty container.
///
/// A value made from Swift code may contradict itself (an array of `.string` that holds a number, a
/// text with U+0000); `problem` says so, and the writer refuses such a value before libdbus sees
/// it.
package indirect enum Value: Hashable, Sendable {
  /// `y`.
  case byte(UInt8)
  /// `b`.
  case boolean(Bool)
  /// `n`.
  case int16(Int16)
  /// `q`.
  case uint16(UInt16)
  /// `i`.
  case int32(Int32)
  /// `u`.
  case uint32(UInt32)
  /// `x`.
  case int64(Int64)
  /// `t`.
  case uint64(UInt64)
  /// `d`.
  case double(Double)
  /// `s`.
  case string(String)
  /// `o`.
  case objectPath(ObjectPath)
  /// `g`.
  case signature(Signature)
  /// `h`.
  case unixDescriptor(UnixDescriptor)
  /// `v`.
  case variant(Value)
  /// `a…`: the type of the elements, which is what makes an empty array have one, and the elements.
  case array(of: SingleType, [Value])
  /// `a{…}`: entries keep their order; a key that comes twice is kept twice, as on the wire.
  case dictionary(key: SingleType, value: SingleType, entries: [Entry])
  /// `(…)`.
  case structure([Value])

  /// One key and its value in a dictionary.
  package struct Entry: Hashable, Sendable {
    /// A value of a basic type.
    package var key: Value
    /// What the key stands for.
    package var value: Value

    /// One entry.
    package init(_ key: Value, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// The type of this value.
  package var type: SingleType {
    switch self {
    case .byte: .byte
    case .boolean: .boolean
    case .int16: .int16
    case .uint16: .uint16
    case .int32: .int32
    case .uint32: .uint32
    case .int64: .int64
    case .uint64: .uint64
    case .double: .double
    case .string: .string
    case .objectPath: .objectPath
    case .signature: .signature
    case .unixDescriptor: .unixDescriptor
    case .variant: .variant
    case .array(let element, _): .array(element)
    case .dictionary(let key, let value, _): .dictionary(key: key, value: value)
    case .structure(let members): .structure(members.map(\.type))
    }
  }

  /// `a{sv}` from Swift pairs, the commonest dictionary there is.
  package static func options(_ entries: [(String, Value)]) -> Value {
    .dictionary(
      key: .string, value: .variant,
      entries: entries.map { Entry(.string($0.0), .variant($0.1)) })
  }

  /// `as`.
  package static func strings(_ strings: [String]) -> Value {
    .array(of: .string, strings.map { .string($0) })
  }
}
