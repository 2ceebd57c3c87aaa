// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes
import Glibc

nonisolated extension Array: DBusValue where Element: DBusValue {
  package static var signature: String { "a" + Element.signature }

  package init(from reader: inout Reader) throws(DBusError) {
    // Bytes come in one piece.
    if Element.self == UInt8.self, let bytes = try reader.readBytes() as? [Element] {
      self = bytes
      return
    }
    var elements: [Element] = []
    try reader.readArray { inner throws(DBusError) in elements.append(try Element(from: &inner)) }
    self = elements
  }

  package func write(to writer: inout Writer) {
    // The type is asked first: an empty array of anything can be cast to an array of bytes.
    if Element.self == UInt8.self, let bytes = self as? [UInt8] {
      writer.appendBytes(bytes)
      return
    }
    writer.appendArray(of: Element.signature) { inner in
      for element in self {
        element.write(to: &inner)
      }
    }
  }
}

/// Entries are written in no particular order; `Pairs` keeps one.
nonisolated extension Dictionary: DBusValue where Key: DBusBasicValue, Value: DBusValue {
  package static var signature: String { "a{" + Key.signature + Value.signature + "}" }

  /// Reads every entry; of a key that comes twice the last one counts.
  package init(from reader: inout Reader) throws(DBusError) {
    var entries: [Key: Value] = [:]
    try reader.readDictionary { inner throws(DBusError) in
      let key = try Key(from: &inner)
      entries[key] = try Value(from: &inner)
    }
    self = entries
  }

  package func write(to writer: inout Writer) {
    writer.appendDictionary(of: "{" + Key.signature + Value.signature + "}") { inner in
      for (key, value) in self {
        inner.appendEntry { entry in
          key.write(to: &entry)
          value.write(to: &entry)
        }
      }
    }
  }
}

/// A `Value` stands for a variant.
nonisolated extension Value: DBusValue {
  package static var signature: String { "v" }

  package init(from reader: inout Reader) throws(DBusError) {
    self = try reader.readVariant { inner throws(DBusError) in try inner.readValue() }
  }

  package func write(to writer: inout Writer) {
    writer.appendVariant(self)
  }
}

nonisolated extension UnixDescriptor: DBusValue {
  package static var signature: String { "h" }

  package convenience init(from reader: inout Reader) throws(DBusError) {
    self.init(adopting: try reader.readDescriptorNumber()) { _ = Glibc.close($0) }
  }

  package func write(to writer: inout Writer) {
    writer.append(self)
  }
}
