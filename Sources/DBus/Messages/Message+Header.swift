// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes

nonisolated extension Message {
  /// The four types of message.
  package enum Kind: Sendable {
    case call
    case reply
    case error
    case signal
    /// A type that a later version of the protocol may bring.
    case unknown
  }

  /// What kind of message this is. The corresponding C function is `dbus_message_get_type`.
  package var kind: Kind {
    switch dbus_message_get_type(raw) {
    case CDBUS_MESSAGE_METHOD_CALL: .call
    case CDBUS_MESSAGE_METHOD_RETURN: .reply
    case CDBUS_MESSAGE_ERROR: .error
    case CDBUS_MESSAGE_SIGNAL: .signal
    default: .unknown
    }
  }

  // libdbus has checked every header field of a message it received, and our own are made from
  // checked names, so none of these is checked again.

  /// Who sent it, as the bus says; nil on a message of our own.
  package var sender: BusName? {
    dbus_message_get_sender(raw).map { BusName(alreadyChecked: String(cString: $0)) }
  }

  /// Whom it is for; nil for a broadcast.
  package var destination: BusName? {
    dbus_message_get_destination(raw).map { BusName(alreadyChecked: String(cString: $0)) }
  }

  /// The object it is about; nil on replies.
  package var path: ObjectPath? {
    dbus_message_get_path(raw).map { ObjectPath(alreadyChecked: String(cString: $0)) }
  }

  /// The interface; nil on replies and on calls that name none.
  package var interface: InterfaceName? {
    dbus_message_get_interface(raw).map { InterfaceName(alreadyChecked: String(cString: $0)) }
  }

  /// The method or signal; nil on replies.
  package var member: MemberName? {
    dbus_message_get_member(raw).map { MemberName(alreadyChecked: String(cString: $0)) }
  }

  /// The types of the arguments, as text. The corresponding C function is
  /// `dbus_message_get_signature`.
  package var signature: String {
    String(cString: dbus_message_get_signature(raw))
  }

  /// Whether the sender wants no answer. The corresponding C function is
  /// `dbus_message_get_no_reply`.
  package var expectsNoReply: Bool {
    dbus_message_get_no_reply(raw) != 0
  }

  /// Whether the sender agrees to the user being asked for authorisation. The corresponding C
  /// function is `dbus_message_get_allow_interactive_authorization`.
  package var allowsInteractiveAuthorization: Bool {
    dbus_message_get_allow_interactive_authorization(raw) != 0
  }

  /// The error this message carries; nil when it is none.
  package var error: DBusError? {
    guard kind == .error else { return nil }
    // A peer may send anything as the arguments; only a leading string is the message.
    let text = try? withReader { reader throws(DBusError) in try reader.readString() }
    let name = dbus_message_get_error_name(raw).flatMap { ErrorName(String(cString: $0)) }
    return DBusError(name ?? .failed, text ?? "")
  }

  /// Sets what a call asks for besides its arguments.
  func setOptions(_ options: CallOptions) {
    dbus_message_set_auto_start(raw, options.contains(.noAutoStart) ? 0 : 1)
    dbus_message_set_allow_interactive_authorization(
      raw, options.contains(.allowInteractiveAuthorization) ? 1 : 0)
  }
}
