// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes
import Glibc

/// Appends the arguments of a message, or the contents of a container in it, one after another.
///
/// It exists only inside the closure that lends it. A failure sticks: everything after it is
/// dropped, open containers are abandoned, and `Message.write` throws it once at the end, so that
/// code which writes need not care. The typed functions below cannot write what libdbus would
/// abort on; the container functions trust their caller to write contents of the declared type, as
/// `DBusValue`'s conformances do.
nonisolated package struct Writer: ~Copyable {
  /// What all writers of one message share.
  struct State {
    var failure: DBusError?
    /// Whether there is a failure; asked before every value, so it is kept apart.
    var hasFailed = false
    /// An upper estimate of the body's size so far, in bytes.
    var size = 0
  }

  /// The largest body, in bytes: past a system bus's default `max_message_size` the bus would cut
  /// the connection, and one reply too long would take the whole service away.
  static let largestBody = 32 * 1024 * 1024 - 64 * 1024

  private var iterator = cdbus_closed_iterator()
  private let state: UnsafeMutablePointer<State>
  /// How many containers this writer is inside of.
  private let depth: Int

  init(_ message: OpaquePointer, _ state: UnsafeMutablePointer<State>) {
    self.state = state
    depth = 0
    dbus_message_iter_init_append(message, &iterator)
  }

  /// A writer for a container that is yet to be opened.
  private init(inside outer: borrowing Writer) {
    state = outer.state
    depth = outer.depth + 1
  }

  /// Whether something that cannot be sent was written.
  package var hasFailed: Bool {
    state.pointee.hasFailed
  }

  /// Gives the message up; the first failure counts.
  package mutating func fail(_ error: DBusError) {
    guard !state.pointee.hasFailed else { return }
    state.pointee.hasFailed = true
    state.pointee.failure = error
  }

  /// Adds to the size and says whether writing may go on.
  @inline(__always)
  private mutating func reserve(_ bytes: Int) -> Bool {
    state.pointee.size &+= bytes
    if state.pointee.size > Self.largestBody { failForSize() }
    return !state.pointee.hasFailed
  }

  @inline(never)
  private mutating func failForSize() {
    fail(
      DBusError(.limitsExceeded, "the message is larger than \(Self.largestBody) bytes"))
  }

  // MARK: Basic types

  /// Appends a value that C stores in a `Raw`.
  mutating func appendFixed<Raw: BitwiseCopyable>(_ code: Int32, _ value: Raw) {
    guard reserve(8) else { return }
    withUnsafePointer(to: value) { value in
      check(dbus_message_iter_append_basic(&iterator, code, value))
    }
  }

  /// Appends a string, object path or signature, whose grammar the caller vouches for.
  mutating func appendText(_ code: Int32, _ text: String) {
    let length = text.utf8.count
    guard reserve(length + 8) else { return }
    let isComplete = text.withCString { start in
      guard strlen(start) == length else { return false }
      withUnsafePointer(to: start) { start in
        check(dbus_message_iter_append_basic(&iterator, code, start))
      }
      return true
    }
    if !isComplete { appendText(code, text.withoutNull) }
  }

  /// Appends a string; U+0000, which D-Bus cannot carry, becomes U+FFFD.
  package mutating func append(_ text: String) {
    appendText(CDBUS_TYPE_STRING, text)
  }

  /// Appends a duplicate of the descriptor; one that cannot be duplicated fails the message.
  package mutating func append(_ descriptor: borrowing UnixDescriptor) {
    guard reserve(8) else { return }
    let number = descriptor.number
    // libdbus would report a bad descriptor, or one too many, as if memory had run out.
    let isOpen = number >= 0 && fcntl(number, F_GETFD) >= 0
    let isAppended =
      isOpen
      && withUnsafePointer(to: number) {
        dbus_message_iter_append_basic(&iterator, CDBUS_TYPE_UNIX_FD, $0) != 0
      }
    if !isAppended { fail(.failed("the descriptor \(number) can't be duplicated")) }
  }

  // MARK: Containers

  private mutating func appendContainer(
    _ code: Int32, _ contents: UnsafePointer<CChar>?, _ body: (inout Writer) -> Void
  ) {
    guard depth < NestingLimit.containers else {
      return fail(.invalidArgs("containers nest deeper than \(NestingLimit.containers)"))
    }
    guard reserve(8) else { return }
    var inner = Writer(inside: self)
    check(dbus_message_iter_open_container(&iterator, code, contents, &inner.iterator))
    body(&inner)
    if inner.hasFailed {
      // Half-written contents cannot be closed.
      dbus_message_iter_abandon_container(&iterator, &inner.iterator)
    } else {
      check(dbus_message_iter_close_container(&iterator, &inner.iterator))
    }
  }

  /// Appends an array whose elements have the type `element`; `body` writes them.
  package mutating func appendArray(of element: String, _ body: (inout Writer) -> Void) {
    element.withCString { appendContainer(CDBUS_TYPE_ARRAY, $0, body) }
  }

  /// Appends a dictionary of `entry`'s types, such as `{sv}`; `body` writes its entries.
  package mutating func appendDictionary(of entry: String, _ body: (inout Writer) -> Void) {
    appendArray(of: entry, body)
  }

  /// Appends one entry of a dictionary; `body` writes a key and a value.
  package mutating func appendEntry(_ body: (inout Writer) -> Void) {
    appendContainer(CDBUS_TYPE_DICT_ENTRY, nil, body)
  }

  /// Appends a structure; `body` writes its members.
  package mutating func appendStructure(_ body: (inout Writer) -> Void) {
    appendContainer(CDBUS_TYPE_STRUCT, nil, body)
  }

  /// Appends a variant that holds one value of the type `contents`; `body` writes it.
  package mutating func appendVariant(of contents: String, _ body: (inout Writer) -> Void) {
    contents.withCString { appendContainer(CDBUS_TYPE_VARIANT, $0, body) }
  }

  /// Appends all bytes of an `ay` at once.
  mutating func appendBytes(_ bytes: [UInt8]) {
    guard reserve(bytes.count) else { return }
    appendArray(of: "y") { inner in
      bytes.withUnsafeBufferPointer { bytes in
        // libdbus wants the address of a pointer, and refuses NULL even for nothing.
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        withUnsafePointer(to: start) { start in
          check(
            dbus_message_iter_append_fixed_array(
              &inner.iterator, CDBUS_TYPE_BYTE, start, Int32(bytes.count)))
        }
      }
    }
  }
}
