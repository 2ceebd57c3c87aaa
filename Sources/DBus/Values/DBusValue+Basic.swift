// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes

extension Bool: DBusBasicValue {
  nonisolated package static var signature: String { "b" }

  nonisolated package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_BOOLEAN, startingWith: dbus_bool_t(0)) != 0
  }

  nonisolated package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_BOOLEAN, dbus_bool_t(self ? 1 : 0))
  }
}

extension UInt8: DBusBasicValue {
  nonisolated package static var signature: String { "y" }

  nonisolated package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_BYTE, startingWith: 0)
  }

  nonisolated package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_BYTE, self)
  }
}

extension Int16: DBusBasicValue {
  nonisolated package static var signature: String { "n" }

  nonisolated package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_INT16, startingWith: 0)
  }

  nonisolated package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_INT16, self)
  }
}

extension UInt16: DBusBasicValue {
  nonisolated package static var signature: String { "q" }

  nonisolated package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_UINT16, startingWith: 0)
  }

  nonisolated package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_UINT16, self)
  }
}

extension Int32: DBusBasicValue {
  nonisolated package static var signature: String { "i" }

  nonisolated package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_INT32, startingWith: 0)
  }

  nonisolated package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_INT32, self)
  }
}

extension UInt32: DBusBasicValue {
  nonisolated package static var signature: String { "u" }

  nonisolated package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_UINT32, startingWith: 0)
  }

  nonisolated package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_UINT32, self)
  }
}

extension Int64: DBusBasicValue {
  nonisolated package static var signature: String { "x" }

  nonisolated package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_INT64, startingWith: 0)
  }

  nonisolated package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_INT64, self)
  }
}

extension UInt64: DBusBasicValue {
  nonisolated package static var signature: String { "t" }

  nonisolated package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_UINT64, startingWith: 0)
  }

  nonisolated package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_UINT64, self)
  }
}

extension Double: DBusBasicValue {
  nonisolated package static var signature: String { "d" }

  nonisolated package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_DOUBLE, startingWith: 0)
  }

  nonisolated package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_DOUBLE, self)
  }
}

extension String: DBusBasicValue {
  nonisolated package static var signature: String { "s" }

  nonisolated package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readString()
  }

  nonisolated package func write(to writer: inout Writer) {
    writer.append(self)
  }
}

extension ObjectPath: DBusBasicValue {
  nonisolated package static var signature: String { "o" }

  nonisolated package init(from reader: inout Reader) throws(DBusError) {
    self.init(alreadyChecked: String(cString: try reader.readText(CDBUS_TYPE_OBJECT_PATH)))
  }

  nonisolated package func write(to writer: inout Writer) {
    writer.appendText(CDBUS_TYPE_OBJECT_PATH, rawValue)
  }
}

extension Signature: DBusBasicValue {
  nonisolated package static var signature: String { "g" }

  nonisolated package init(from reader: inout Reader) throws(DBusError) {
    let text = String(cString: try reader.readText(CDBUS_TYPE_SIGNATURE))
    guard let signature = Signature(text) else {
      throw DBusError(.inconsistentMessage, "'\(text)' is not a valid signature")
    }
    self = signature
  }

  nonisolated package func write(to writer: inout Writer) {
    writer.appendText(CDBUS_TYPE_SIGNATURE, rawValue)
  }
}
