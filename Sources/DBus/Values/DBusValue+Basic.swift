// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes

nonisolated extension Bool: DBusBasicValue {
  package static var signature: String { "b" }

  package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_BOOLEAN, startingWith: dbus_bool_t(0)) != 0
  }

  package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_BOOLEAN, dbus_bool_t(self ? 1 : 0))
  }
}

nonisolated extension UInt8: DBusBasicValue {
  package static var signature: String { "y" }

  package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_BYTE, startingWith: 0)
  }

  package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_BYTE, self)
  }
}

nonisolated extension Int16: DBusBasicValue {
  package static var signature: String { "n" }

  package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_INT16, startingWith: 0)
  }

  package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_INT16, self)
  }
}

nonisolated extension UInt16: DBusBasicValue {
  package static var signature: String { "q" }

  package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_UINT16, startingWith: 0)
  }

  package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_UINT16, self)
  }
}

nonisolated extension Int32: DBusBasicValue {
  package static var signature: String { "i" }

  package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_INT32, startingWith: 0)
  }

  package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_INT32, self)
  }
}

nonisolated extension UInt32: DBusBasicValue {
  package static var signature: String { "u" }

  package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_UINT32, startingWith: 0)
  }

  package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_UINT32, self)
  }
}

nonisolated extension Int64: DBusBasicValue {
  package static var signature: String { "x" }

  package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_INT64, startingWith: 0)
  }

  package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_INT64, self)
  }
}

nonisolated extension UInt64: DBusBasicValue {
  package static var signature: String { "t" }

  package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_UINT64, startingWith: 0)
  }

  package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_UINT64, self)
  }
}

nonisolated extension Double: DBusBasicValue {
  package static var signature: String { "d" }

  package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readFixed(CDBUS_TYPE_DOUBLE, startingWith: 0)
  }

  package func write(to writer: inout Writer) {
    writer.appendFixed(CDBUS_TYPE_DOUBLE, self)
  }
}

nonisolated extension String: DBusBasicValue {
  package static var signature: String { "s" }

  package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readString()
  }

  package func write(to writer: inout Writer) {
    writer.append(self)
  }
}

nonisolated extension ObjectPath: DBusBasicValue {
  package static var signature: String { "o" }

  package init(from reader: inout Reader) throws(DBusError) {
    self.init(alreadyChecked: String(cString: try reader.readText(CDBUS_TYPE_OBJECT_PATH)))
  }

  package func write(to writer: inout Writer) {
    writer.appendText(CDBUS_TYPE_OBJECT_PATH, rawValue)
  }
}

nonisolated extension Signature: DBusBasicValue {
  package static var signature: String { "g" }

  package init(from reader: inout Reader) throws(DBusError) {
    let text = String(cString: try reader.readText(CDBUS_TYPE_SIGNATURE))
    guard let signature = Signature(text) else {
      throw DBusError(.inconsistentMessage, "'\(text)' is not a valid signature")
    }
    self = signature
  }

  package func write(to writer: inout Writer) {
    writer.appendText(CDBUS_TYPE_SIGNATURE, rawValue)
  }
}
