// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes

nonisolated extension Message {
  /// Lends a reader at the first argument.
  package func withReader<Result>(
    _ body: (inout Reader) throws(DBusError) -> Result
  ) throws(DBusError) -> Result {
    var reader = Reader(raw)
    return try body(&reader)
  }

  /// Lends a writer behind the last argument. Throws when what was written cannot be sent; the
  /// message is then good for nothing.
  package func write(_ body: (inout Writer) -> Void) throws(DBusError) {
    var state = Writer.State()
    withUnsafeMutablePointer(to: &state) { state in
      var writer = Writer(raw, state)
      body(&writer)
    }
    if let failure = state.failure { throw failure }
  }

  /// The arguments, which must have exactly these types: `let (name, count) = try
  /// message.read(String.self, Int32.self)`. Throws `InvalidArgs` naming both signatures.
  package func read<each Argument: DBusValue>(
    _: repeat (each Argument).Type
  ) throws(DBusError) -> (repeat each Argument) {
    var expected = ""
    repeat expected += (each Argument).signature
    guard dbus_message_has_signature(raw, expected) != 0 else {
      throw .invalidArgs("expected arguments of types '\(expected)', found '\(signature)'")
    }
    var reader = Reader(raw)
    return (repeat try (each Argument).init(from: &reader))
  }

  /// All arguments, whatever their types.
  package func values() throws(DBusError) -> [Value] {
    var reader = Reader(raw)
    var values: [Value] = []
    while !reader.isAtEnd {
      values.append(try reader.readValue())
    }
    return values
  }
}
