// SPDX-License-Identifier: MIT

import CDBus
import DBusTypes

/// A call that waits for its answer. The connection keeps it until then.
@MainActor
package final class PendingCall {
  /// libdbus's side of it; nil when the call could not be sent or is over.
  private var raw: OpaquePointer?
  private var completion: ((CallResult) -> Void)?
  private weak var connection: Connection?
  private var number: UInt64 = 0

  init(
    _ message: Message, on connection: Connection, timeout: Duration?,
    _ completion: @escaping (CallResult) -> Void
  ) {
    self.connection = connection
    self.completion = completion
    number = connection.keep(self)
    // NULL when there is no connection any more.
    var raw: OpaquePointer?
    if connection.isConnected {
      check(
        dbus_connection_send_with_reply(connection.raw, message.raw, &raw, timeout.milliseconds))
    }
    guard let raw else {
      finishLater(.failure(Connection.disconnected))
      return
    }
    self.raw = raw
    // Unretained: this object outlives libdbus's interest in it, which ends in `release`.
    check(
      dbus_pending_call_set_notify(
        raw,
        { _, data in
          guard let data else { return }
          Unmanaged<PendingCall>.fromOpaque(data).takeUnretainedValue().receive()
        }, Unmanaged.passUnretained(self).toOpaque(), nil))
  }

  /// A call that fails before it is sent.
  init(
    failing error: DBusError, on connection: Connection,
    _ completion: @escaping (CallResult) -> Void
  ) {
    self.connection = connection
    self.completion = completion
    number = connection.keep(self)
    finishLater(.failure(error))
  }

  isolated deinit {
    releaseRaw()
  }

  /// Whether the completion is still to come.
  package var isPending: Bool { completion != nil }

  /// Gives the call up: its completion will not run. The peer may act on the call all the same.
  package func cancel() {
    _ = take()
  }

  /// Ends the call; nothing happens when it has ended already.
  func finish(_ result: CallResult) {
    take()?(result)
  }

  private func receive() {
    guard let raw else { return }
    let reply = Message(adopting: check(dbus_pending_call_steal_reply(raw)))
    finish(reply.error.map { .failure($0) } ?? .success(reply))
  }

  private func finishLater(_ result: CallResult) {
    connection?.later { [weak self] in self?.finish(result) }
  }

  /// Ends everything but the completion, which it hands out.
  private func take() -> ((CallResult) -> Void)? {
    defer { completion = nil }
    releaseRaw()
    connection?.forget(number)
    return completion
  }

  private func releaseRaw() {
    guard let raw else { return }
    self.raw = nil
    dbus_pending_call_cancel(raw)
    dbus_pending_call_unref(raw)
  }
}
