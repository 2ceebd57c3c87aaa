// SPDX-License-Identifier: MIT

import CDBus
import DBusTypes

/// A call that waits for its answer.
@MainActor
package final class PendingCall {
  /// libdbus's side of it; nil when the call could not be sent or is over.
  private var raw: OpaquePointer?
  private var completion: ((CallResult) -> Void)?
  /// Nil once the owner has dropped the connection, and with it the interest in answers.
  private weak var connection: Connection?

  init(
    _ message: Message, on connection: Connection, timeout: Duration?,
    _ completion: @escaping (CallResult) -> Void
  ) {
    self.connection = connection
    self.completion = completion
    guard connection.isConnected else {
      finishLater(.failure(Connection.disconnected))
      return
    }
    var raw: OpaquePointer?
    check(
      dbus_connection_send_with_reply(connection.raw, message.raw, &raw, timeout.milliseconds))
    // NULL when the connection was lost while sending.
    guard let raw else {
      finishLater(.failure(Connection.disconnected))
      return
    }
    self.raw = raw
    // libdbus keeps this object until the answer, or until the call is cancelled.
    let box = Unmanaged.passRetained(self).toOpaque()
    check(
      dbus_pending_call_set_notify(
        raw,
        { _, data in
          guard let data else { return }
          Unmanaged<PendingCall>.fromOpaque(data).takeUnretainedValue().receive()
        }, box,
        { data in
          guard let data else { return }
          Unmanaged<PendingCall>.fromOpaque(data).release()
        }))
  }

  /// A call that fails before it is sent.
  init(
    failing error: DBusError, on connection: Connection,
    _ completion: @escaping (CallResult) -> Void
  ) {
    self.connection = connection
    self.completion = completion
    finishLater(.failure(error))
  }

  /// Whether the completion is still to come.
  package var isPending: Bool { completion != nil }

  /// Gives the call up: its completion will not run. The peer may act on the call all the same.
  package func cancel() {
    completion = nil
    guard let raw else { return }
    self.raw = nil
    dbus_pending_call_cancel(raw)
    dbus_pending_call_unref(raw)
  }

  private func receive() {
    guard let raw, let completion else { return }
    self.raw = nil
    self.completion = nil
    let reply = Message(adopting: check(dbus_pending_call_steal_reply(raw)))
    dbus_pending_call_unref(raw)
    guard let connection else { return }
    completion(result(of: reply, isConnected: connection.isConnected))
  }

  private func result(of reply: Message, isConnected: Bool) -> CallResult {
    guard let error = reply.error else { return .success(reply) }
    // libdbus answers every pending call itself when the connection is lost, as if in time-out.
    if !isConnected, error.name == .noReply || error.name == .timeout {
      return .failure(Connection.disconnected)
    }
    return .failure(error)
  }

  private func finishLater(_ result: CallResult) {
    connection?.later { [self] in
      guard let completion else { return }
      self.completion = nil
      completion(result)
    }
  }
}
