// SPDX-License-Identifier: MIT

/// A D-Bus dictionary that keeps the order of its entries, as the wire does.
nonisolated package struct Pairs<Key: DBusBasicValue, Element: DBusValue>: DBusValue {
  /// The entries in order; the caller keeps keys from coming twice.
  package var entries: [(key: Key, value: Element)]

  /// A dictionary of these entries.
  package init(_ entries: [(key: Key, value: Element)]) {
    self.entries = entries
  }

  package static var signature: String { "a" + entry }

  private static var entry: String { "{" + Key.signature + Element.signature + "}" }

  package init(from reader: inout Reader) throws(DBusError) {
    var entries: [(key: Key, value: Element)] = []
    try reader.readDictionary { inner throws(DBusError) in
      entries.append((try Key(from: &inner), try Element(from: &inner)))
    }
    self.entries = entries
  }

  package func write(to writer: inout Writer) {
    writer.appendDictionary(of: Self.entry) { inner in
      for (key, value) in entries {
        inner.appendEntry { pair in
          key.write(to: &pair)
          value.write(to: &pair)
        }
      }
    }
  }
}
