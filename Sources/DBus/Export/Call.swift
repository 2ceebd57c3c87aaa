// SPDX-License-Identifier: MIT

import CDBus

/// A method call as it arrived: pointers into its header, which live as long as the message.
@MainActor
struct Call {
  let message: OpaquePointer
  let path: UnsafePointer<CChar>
  /// Nil when the call names none.
  let interface: UnsafePointer<CChar>?
  let member: UnsafePointer<CChar>

  /// Nil for a message without a path or member, which libdbus does not let through.
  init?(_ message: OpaquePointer) {
    guard let path = dbus_message_get_path(message), let member = dbus_message_get_member(message)
    else { return nil }
    self.message = message
    self.path = path
    self.interface = dbus_message_get_interface(message)
    self.member = member
  }

  var memberText: String { String(cString: member) }
  var pathText: String { String(cString: path) }
}
