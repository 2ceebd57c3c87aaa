// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes

/// How a call ended.
package typealias CallResult = Result<Message, DBusError>

extension Connection {
  /// Calls a method and returns at once.
  ///
  /// `completion` runs exactly once, later, with the reply, the peer's error, `NoReply` after
  /// `timeout` or `Disconnected`; not at all once the call is cancelled. A nil `timeout` waits as
  /// long as the connection lasts. Dropping the handle does not cancel.
  @discardableResult
  package func call(
    destination: BusName, path: ObjectPath, interface: InterfaceName?, member: MemberName,
    options: CallOptions = [], timeout: Duration? = .seconds(25),
    body: ((inout Writer) -> Void)? = nil,
    completion: @escaping (CallResult) -> Void
  ) -> PendingCall {
    let message = Message.call(member, of: interface, at: path, destination: destination)
    message.setOptions(options)
    do throws(DBusError) {
      if let body { try message.write(body) }
    } catch {
      return PendingCall(failing: error, on: self, completion)
    }
    guard canCarry(message) else {
      return PendingCall(failing: Self.noDescriptors, on: self, completion)
    }
    return PendingCall(message, on: self, timeout: timeout, completion)
  }

  /// Calls a method and waits for the answer, without the loop: other messages stay queued.
  package func callAndWait(
    destination: BusName, path: ObjectPath, interface: InterfaceName?, member: MemberName,
    options: CallOptions = [], timeout: Duration? = .seconds(25),
    body: ((inout Writer) -> Void)? = nil
  ) throws(DBusError) -> Message {
    let message = Message.call(member, of: interface, at: path, destination: destination)
    message.setOptions(options)
    if let body { try message.write(body) }
    guard isConnected else { throw Self.disconnected }
    guard canCarry(message) else { throw Self.noDescriptors }
    let reply = try withError { error in
      dbus_connection_send_with_reply_and_block(raw, message.raw, timeout.milliseconds, error)
    }
    return Message(adopting: check(reply))
  }

  /// Calls a method and wants no answer.
  package func callWithoutReply(
    destination: BusName, path: ObjectPath, interface: InterfaceName?, member: MemberName,
    options: CallOptions = [], body: ((inout Writer) -> Void)? = nil
  ) throws(DBusError) {
    let message = Message.call(member, of: interface, at: path, destination: destination)
    message.setOptions(options)
    dbus_message_set_no_reply(message.raw, 1)
    if let body { try message.write(body) }
    send(message)
  }

  /// Sends a signal, to one peer when there is a destination.
  package func emit(
    _ member: MemberName, of interface: InterfaceName, at path: ObjectPath,
    to destination: BusName? = nil, body: ((inout Writer) -> Void)? = nil
  ) throws(DBusError) {
    let message = Message.signal(member, of: interface, at: path, destination: destination)
    if let body { try message.write(body) }
    send(message)
  }

  /// Queues a message, and writes what the socket takes at once. The corresponding C function is
  /// `dbus_connection_send`.
  func send(_ message: Message) {
    guard isConnected else { return }
    guard canCarry(message) else {
      onNotice?(.notSent(Self.noDescriptors))
      return
    }
    check(dbus_connection_send(raw, message.raw, nil))
  }

  /// Whether the transport can pass what is in the message; one over TCP passes no descriptors.
  func canCarry(_ message: Message) -> Bool {
    dbus_message_contains_unix_fds(message.raw) == 0
      || dbus_connection_can_send_type(raw, CDBUS_TYPE_UNIX_FD) != 0
  }

  /// What a message with descriptors comes to where they cannot be passed.
  static let noDescriptors = DBusError(.notSupported, "the connection can't pass descriptors")

  /// What a call ends with when there is no connection.
  static let disconnected = DBusError(.disconnected, "the connection to the bus is closed")
}

nonisolated extension Optional<Duration> {
  /// As libdbus counts time-outs: at least 1, and its own mark for none.
  var milliseconds: Int32 {
    guard let self else { return CDBUS_TIMEOUT_INFINITE }
    let (seconds, attoseconds) = self.components
    let whole = seconds.multipliedReportingOverflow(by: 1000)
    // Rounded up, so that a short time-out is not none.
    let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    guard !whole.overflow else { return CDBUS_TIMEOUT_INFINITE }
    return Int32(clamping: max(1, whole.partialValue + part))
  }
}
