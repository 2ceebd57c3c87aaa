// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes

nonisolated extension Reader {
  /// Reads whatever is here. Throws at the end and past the nesting limit.
  package mutating func readValue() throws(DBusError) -> Value {
    switch code {
    case CDBUS_TYPE_BYTE: .byte(try UInt8(from: &self))
    case CDBUS_TYPE_BOOLEAN: .boolean(try Bool(from: &self))
    case CDBUS_TYPE_INT16: .int16(try Int16(from: &self))
    case CDBUS_TYPE_UINT16: .uint16(try UInt16(from: &self))
    case CDBUS_TYPE_INT32: .int32(try Int32(from: &self))
    case CDBUS_TYPE_UINT32: .uint32(try UInt32(from: &self))
    case CDBUS_TYPE_INT64: .int64(try Int64(from: &self))
    case CDBUS_TYPE_UINT64: .uint64(try UInt64(from: &self))
    case CDBUS_TYPE_DOUBLE: .double(try Double(from: &self))
    case CDBUS_TYPE_STRING: .string(try readString())
    case CDBUS_TYPE_OBJECT_PATH: .objectPath(try ObjectPath(from: &self))
    case CDBUS_TYPE_SIGNATURE: .signature(try Signature(from: &self))
    case CDBUS_TYPE_UNIX_FD: .unixDescriptor(try UnixDescriptor(from: &self))
    case CDBUS_TYPE_VARIANT:
      .variant(try readVariant { inner throws(DBusError) in try inner.readValue() })
    case CDBUS_TYPE_STRUCT:
      .structure(
        try readStructure { inner throws(DBusError) in
          var members: [Value] = []
          while !inner.isAtEnd {
            members.append(try inner.readValue())
          }
          return members
        })
    case CDBUS_TYPE_ARRAY: try readArrayValue()
    default: throw .invalidArgs("expected a value, found '\(signature)'")
    }
  }

  private mutating func readArrayValue() throws(DBusError) -> Value {
    // Parsed from the signature, because an empty array has no element to ask.
    guard let type = SingleType(code: signature) else {
      throw DBusError(.inconsistentMessage, "'\(signature)' is not a valid type")
    }
    switch type {
    case .dictionary(let key, let value):
      var entries: [Value.Entry] = []
      try readDictionary { inner throws(DBusError) in
        entries.append(Value.Entry(try inner.readValue(), try inner.readValue()))
      }
      return .dictionary(key: key, value: value, entries: entries)
    case .array(let element):
      var elements: [Value] = []
      try readArray { inner throws(DBusError) in elements.append(try inner.readValue()) }
      return .array(of: element, elements)
    default:
      throw DBusError(.inconsistentMessage, "expected an array, found '\(type)'")
    }
  }
}
