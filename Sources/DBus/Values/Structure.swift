// SPDX-License-Identifier: MIT

/// A D-Bus structure: `Structure<String, UInt32>` is `(su)`.
nonisolated package struct Structure<each Member: DBusValue>: DBusValue {
  /// The members in order; at least one.
  package let members: (repeat each Member)

  /// A structure of these members.
  package init(_ members: repeat each Member) {
    self.members = (repeat each members)
  }

  package static var signature: String {
    var signature = "("
    repeat signature += (each Member).signature
    return signature + ")"
  }

  package init(from reader: inout Reader) throws(DBusError) {
    members = try reader.readStructure { inner throws(DBusError) -> (repeat each Member) in
      (repeat try (each Member).init(from: &inner))
    }
  }

  package func write(to writer: inout Writer) {
    writer.appendStructure { inner in
      repeat (each members).write(to: &inner)
    }
  }
}
