// SPDX-License-Identifier: MIT

import CDBus
import DBusTypes

/// Reads the arguments of a message, or the contents of a container in it, one after another.
///
/// It exists only inside the closure that lends it. Whatever a peer sent, reading never traps: a
/// value of another type than asked for throws `InvalidArgs`, and nesting is bounded.
nonisolated package struct Reader: ~Copyable {
  private var iterator = cdbus_closed_iterator()
  /// How many containers this reader is inside of.
  private let depth: Int
  /// How many elements an array may have.
  private let elementLimit: Int

  init(_ message: OpaquePointer, elementLimit: Int = .max) {
    depth = 0
    self.elementLimit = elementLimit
    dbus_message_iter_init(message, &iterator)
  }

  private init(inside outer: inout DBusMessageIter, depth: Int, elementLimit: Int) {
    self.depth = depth
    self.elementLimit = elementLimit
    dbus_message_iter_recurse(&outer, &iterator)
  }

  /// The type code of the value here; `CDBUS_TYPE_INVALID` at the end.
  var code: Int32 {
    mutating get { dbus_message_iter_get_arg_type(&iterator) }
  }

  /// Whether nothing is left to read.
  package var isAtEnd: Bool {
    mutating get { code == CDBUS_TYPE_INVALID }
  }

  /// The signature of the value here, empty at the end. The corresponding C function is
  /// `dbus_message_iter_get_signature`.
  package var signature: String {
    mutating get {
      guard let text = dbus_message_iter_get_signature(&iterator) else { outOfMemory() }
      defer { dbus_free(text) }
      return String(cString: text)
    }
  }

  // MARK: Basic types

  /// Reads a value that C stores in a `Raw`.
  mutating func readFixed<Raw: BitwiseCopyable>(
    _ code: Int32, startingWith blank: Raw
  ) throws(DBusError) -> Raw {
    guard self.code == code else { throw mismatch(code) }
    var raw = blank
    dbus_message_iter_get_basic(&iterator, &raw)
    dbus_message_iter_next(&iterator)
    return raw
  }

  /// A string, object path or signature; the pointer lives as long as the message.
  mutating func readText(_ code: Int32) throws(DBusError) -> UnsafePointer<CChar> {
    let text = try readFixed(code, startingWith: UnsafePointer<CChar>?.none)
    guard let text else { throw mismatch(code) }
    return text
  }

  /// Reads a string.
  package mutating func readString() throws(DBusError) -> String {
    String(cString: try readText(CDBUS_TYPE_STRING))
  }

  /// Reads a file descriptor, which the caller then owns: libdbus gives a duplicate that is closed
  /// on exec.
  mutating func readDescriptorNumber() throws(DBusError) -> Int32 {
    let number = try readFixed(CDBUS_TYPE_UNIX_FD, startingWith: Int32(-1))
    guard number >= 0 else { throw .failed("a descriptor in the message could not be duplicated") }
    return number
  }

  /// Passes over the value here.
  package mutating func skip() {
    dbus_message_iter_next(&iterator)
  }

  // MARK: Containers

  /// Reads the contents of the container of type `code` here.
  mutating func readContainer<Result>(
    _ code: Int32, _ body: (inout Reader) throws(DBusError) -> Result
  ) throws(DBusError) -> Result {
    guard self.code == code else { throw mismatch(code) }
    guard depth < NestingLimit.containers else {
      throw .invalidArgs("containers nest deeper than \(NestingLimit.containers)")
    }
    var inner = Reader(inside: &iterator, depth: depth + 1, elementLimit: elementLimit)
    let result = try body(&inner)
    dbus_message_iter_next(&iterator)
    return result
  }

  /// Reads an array: `body` is called once for each element and reads it.
  package mutating func readArray(
    _ body: (inout Reader) throws(DBusError) -> Void
  ) throws(DBusError) {
    try readContainer(CDBUS_TYPE_ARRAY) { inner throws(DBusError) in
      var count = 0
      while !inner.isAtEnd {
        guard count < inner.elementLimit else {
          throw DBusError(
            .limitsExceeded, "an array has more than \(inner.elementLimit) elements")
        }
        count += 1
        try body(&inner)
      }
    }
  }

  /// Reads a dictionary: `body` is called once for each entry and reads its key and its value.
  package mutating func readDictionary(
    _ body: (inout Reader) throws(DBusError) -> Void
  ) throws(DBusError) {
    try readArray { inner throws(DBusError) in
      try inner.readContainer(CDBUS_TYPE_DICT_ENTRY, body)
    }
  }

  /// Reads a structure's members.
  package mutating func readStructure<Result>(
    _ body: (inout Reader) throws(DBusError) -> Result
  ) throws(DBusError) -> Result {
    try readContainer(CDBUS_TYPE_STRUCT, body)
  }

  /// Reads the value in a variant.
  package mutating func readVariant<Result>(
    _ body: (inout Reader) throws(DBusError) -> Result
  ) throws(DBusError) -> Result {
    try readContainer(CDBUS_TYPE_VARIANT, body)
  }

  /// All bytes of an `ay` at once.
  mutating func readBytes() throws(DBusError) -> [UInt8] {
    guard code == CDBUS_TYPE_ARRAY,
      dbus_message_iter_get_element_type(&iterator) == CDBUS_TYPE_BYTE
    else { throw .invalidArgs("expected a value of type 'ay', found '\(signature)'") }
    return try readContainer(CDBUS_TYPE_ARRAY) { inner in
      var start: UnsafePointer<UInt8>?
      var count: Int32 = 0
      // An empty array has no start.
      if !inner.isAtEnd {
        dbus_message_iter_get_fixed_array(&inner.iterator, &start, &count)
      }
      return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }
  }

  private mutating func mismatch(_ code: Int32) -> DBusError {
    let expected = Self.name(of: code)
    let found = isAtEnd ? "nothing" : "'\(signature)'"
    return .invalidArgs("expected \(expected), found \(found)")
  }

  private static func name(of code: Int32) -> String {
    switch code {
    case CDBUS_TYPE_ARRAY: "an array"
    case CDBUS_TYPE_STRUCT: "a structure"
    case CDBUS_TYPE_DICT_ENTRY: "a dictionary entry"
    default: UInt8(exactly: code).map { "a value of type '\(Unicode.Scalar($0))'" } ?? "a value"
    }
  }
}
