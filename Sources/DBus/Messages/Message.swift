// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes

/// A D-Bus message: one reference to a `DBusMessage`, given back when this object goes.
///
/// A message is filled once, with `write`, and not changed after it was sent. Readers and writers
/// exist only inside closures because libdbus's iterators point into the message.
nonisolated package final class Message {
  let raw: OpaquePointer

  /// Takes over the caller's reference.
  init(adopting raw: OpaquePointer) {
    self.raw = raw
  }

  /// Takes a reference of its own. The corresponding C function is `dbus_message_ref`.
  init(retaining raw: OpaquePointer) {
    self.raw = dbus_message_ref(raw)
  }

  deinit {
    dbus_message_unref(raw)
  }
}

// MARK: Making messages

nonisolated extension Message {
  /// A call. Without an interface the member must be the only one of its name at the object. The
  /// corresponding C function is `dbus_message_new_method_call`.
  package static func call(
    _ member: MemberName, of interface: InterfaceName?, at path: ObjectPath,
    destination: BusName?
  ) -> Message {
    let raw = withCStrings(destination?.rawValue, interface?.rawValue) { destination, interface in
      dbus_message_new_method_call(destination, path.rawValue, interface, member.rawValue)
    }
    return Message(adopting: check(raw))
  }

  /// A signal; with a destination it reaches that peer alone. The corresponding C function is
  /// `dbus_message_new_signal`.
  package static func signal(
    _ member: MemberName, of interface: InterfaceName, at path: ObjectPath,
    destination: BusName? = nil
  ) -> Message {
    let raw = check(
      dbus_message_new_signal(path.rawValue, interface.rawValue, member.rawValue))
    if let destination {
      check(dbus_message_set_destination(raw, destination.rawValue))
    }
    return Message(adopting: raw)
  }

  /// A call that came, without its body and descriptors: what it takes to answer it.
  @MainActor static func header(of call: Call) -> Message {
    let header = check(dbus_message_new_method_call(nil, call.path, call.interface, call.member))
    check(dbus_message_set_sender(header, dbus_message_get_sender(call.message)))
    dbus_message_set_serial(header, dbus_message_get_serial(call.message))
    dbus_message_set_no_reply(header, dbus_message_get_no_reply(call.message))
    dbus_message_set_allow_interactive_authorization(
      header, dbus_message_get_allow_interactive_authorization(call.message))
    return Message(adopting: header)
  }

  /// The answer to `call`. The corresponding C function is `dbus_message_new_method_return`.
  package static func reply(to call: Message) -> Message {
    Message(adopting: check(dbus_message_new_method_return(call.raw)))
  }

  /// The refusal of `call`; U+0000 in the text becomes U+FFFD, and a text that names what a caller
  /// sent is cut where that was huge. The corresponding C function is `dbus_message_new_error`.
  package static func error(_ error: DBusError, to call: Message) -> Message {
    let text = error.message.shortened(to: 1000).withoutNull
    return Message(
      adopting: check(dbus_message_new_error(call.raw, error.name.rawValue, text)))
  }
}

nonisolated extension String {
  /// The text, or its first `limit` Unicode scalars and a sign that there were more.
  package func shortened(to limit: Int) -> String {
    let scalars = unicodeScalars
    guard utf8.count > limit,
      let end = scalars.index(startIndex, offsetBy: limit, limitedBy: endIndex), end < endIndex
    else { return self }
    return "\(self[..<end])…"
  }

  /// The text with U+FFFD for each U+0000, which no D-Bus string can hold.
  var withoutNull: String {
    guard utf8.contains(0) else { return self }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      result.append(scalar.value == 0 ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }
}
