// SPDX-License-Identifier: MIT

import CDBus
import DBusTypes
import Glibc

/// Ends the process, as Swift's own allocations do: libdbus could not allocate memory.
///
/// Linux overcommits, so this is seen when a limit is set on purpose; nothing sensible can go on.
nonisolated func outOfMemory() -> Never {
  abort()
}

/// Traps unless a libdbus function reported success; the only failure of these is memory.
@inline(__always)
nonisolated func check(_ success: dbus_bool_t) {
  if success == 0 { outOfMemory() }
}

/// The pointer that a libdbus constructor gave; these return NULL only for want of memory.
@inline(__always)
nonisolated func check(_ pointer: OpaquePointer?) -> OpaquePointer {
  guard let pointer else { outOfMemory() }
  return pointer
}

/// Whether the C string and `text` hold the same bytes, without making a `String` of it.
@inline(__always)
nonisolated func isEqual(_ cString: UnsafePointer<CChar>, _ text: String) -> Bool {
  text.withCString { strcmp(cString, $0) == 0 }
}

/// Calls `body` with a fresh `DBusError` structure of C's and throws what it was filled with.
nonisolated func withError<Result>(
  _ body: (UnsafeMutablePointer<CDBus.DBusError>) -> Result
) throws(DBusError) -> Result {
  var raw = CDBus.DBusError()
  dbus_error_init(&raw)
  let result = body(&raw)
  guard dbus_error_is_set(&raw) != 0 else { return result }
  let error = DBusError(
    raw.name.flatMap { ErrorName(String(cString: $0)) } ?? .failed,
    raw.message.map { String(cString: $0) } ?? "")
  dbus_error_free(&raw)
  throw error
}

/// Calls `body` with C strings of optional Swift ones; nil becomes NULL.
nonisolated func withCStrings<Result>(
  _ first: String?, _ second: String?,
  _ body: (UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Result
) -> Result {
  withCString(first) { first in withCString(second) { second in body(first, second) } }
}

/// Calls `body` with the C string of an optional Swift one; nil becomes NULL.
nonisolated func withCString<Result>(
  _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
  guard let text else { return body(nil) }
  return text.withCString(body)
}
