// SPDX-License-Identifier: MIT

package import DBusTypes

/// A Swift type that stands for one D-Bus type.
///
/// `String` is `s`, `[String: Value]` is `a{sv}`, `Structure<UInt32, Bool>` is `(ub)`: method
/// handlers and properties get their signatures from their Swift types this way, and values go
/// between Swift and a message without a `Value` in between.
nonisolated package protocol DBusValue {
  /// The signature of the one complete type.
  static var signature: String { get }

  /// Reads one value. Throws `InvalidArgs` when the reader is at something else.
  init(from reader: inout Reader) throws(DBusError)

  /// Appends one value of exactly the type that `signature` names.
  func write(to writer: inout Writer)
}

/// A `DBusValue` that may be a dictionary's key.
nonisolated package protocol DBusBasicValue: DBusValue {}

nonisolated extension DBusValue {
  /// The type as a value.
  package static var type: SingleType? { SingleType(code: signature) }
}
