// SPDX-License-Identifier: MIT

import CDBus
import DBusTypes
import EventLoop
import System

// The way to a bus: connect(2), authentication, which libdbus sees to, and Hello. A bus that hangs
// holds up each of them. The kernel accepts connections for it, until its backlog is full, and then
// connect(2) blocks; libdbus keeps no time limit before the authentication is over. So the one is
// done on a thread, or interrupted where there is no loop to go on meanwhile, and the limit is kept
// here.

extension Connection {
  /// How long a bus may take until it has greeted.
  package nonisolated static let greetingTime = Duration.seconds(10)

  /// Connects, and waits for the bus's greeting, both no longer than `limit`.
  package convenience init(
    _ address: BusAddress, within limit: Duration = Connection.greetingTime
  ) throws(DBusError) {
    let deadline = EventLoop.now + limit
    self.init(adopting: try Self.open(address, until: deadline))
    try greet(until: deadline)
  }

  private static func open(
    _ address: BusAddress, until deadline: Duration
  ) throws(DBusError) -> OpaquePointer {
    let text = try address.resolve()
    var opened: UInt = 0
    var failure: DBusError?
    do throws(Errno) {
      try interrupted(after: deadline - EventLoop.now) {
        do throws(DBusError) { opened = try openSocket(text) } catch { failure = error }
      }
    } catch {
      throw .failed("can't set a time limit: \(error)")
    }
    if let failure { throw EventLoop.now >= deadline ? silent : failure }
    return check(OpaquePointer(bitPattern: opened))
  }

  /// Opens the address's socket on a thread, however long that takes. `completion` gets, in a turn
  /// of `loop`, what `init(adopting:)` takes over.
  static func open(
    _ address: BusAddress, on loop: EventLoop,
    _ completion: @escaping (Result<OpaquePointer, DBusError>) -> Void
  ) throws {
    let text = try address.resolve()
    try loop.onThread({ Result { () throws(DBusError) in try openSocket(text) } }) { opened in
      completion(opened.map { check(OpaquePointer(bitPattern: $0)) })
    }
  }

  /// The address of a libdbus connection that nobody else knows.
  private nonisolated static func openSocket(_ address: String) throws(DBusError) -> UInt {
    do throws(DBusError) {
      let raw = try withError { error in dbus_connection_open_private(address, error) }
      return UInt(bitPattern: check(raw))
    } catch  where error.name == .badAddress {
      throw DBusError(
        .badAddress,
        "'\(address)' is no address of a bus (\(error.message)); expected such as "
          + "unix:path=/run/user/1000/bus")
    }
  }

  /// Says Hello, and waits for the answer without a loop. Without a `PendingCall` too: the results
  /// that its closure maps are types which the runtime would have to make for each program that
  /// connects for a single question.
  private func greet(until deadline: Duration) throws(DBusError) {
    let hello = Message.call("Hello", of: .bus, at: .bus, destination: .bus)
    var sent: OpaquePointer?
    check(dbus_connection_send_with_reply(raw, hello.raw, &sent, CDBUS_TIMEOUT_INFINITE))
    // NULL when there is no connection any more.
    guard let call = sent else { throw Self.closed }
    defer {
      dbus_pending_call_cancel(call)
      dbus_pending_call_unref(call)
    }
    var isOpen = true
    while dbus_pending_call_get_completed(call) == 0 {
      let left = deadline - EventLoop.now
      guard isOpen, left > .zero else { throw isOpen ? Self.silent : Self.closed }
      isOpen = dbus_connection_read_write_dispatch(raw, Optional(left).milliseconds) != 0
    }
    let reply = Message(adopting: check(dbus_pending_call_steal_reply(call)))
    if let error = reply.error { throw Self.plainer(error) }
    try take(reply)
  }

  /// Says Hello, with a loop. `completion` runs once, when the bus answers or is gone, unless the
  /// call is cancelled.
  func greet(_ completion: @escaping (Result<Void, DBusError>) -> Void) -> PendingCall {
    call(
      destination: .bus, path: .bus, interface: .bus, member: "Hello", timeout: nil
    ) { [unowned self] result in
      completion(
        result.mapError(Self.plainer).flatMap { reply in
          Result { () throws(DBusError) in try take(reply) }
        })
    }
  }

  private func take(_ reply: Message) throws(DBusError) {
    guard let name = BusName(try reply.read(String.self)), name.isUnique else {
      throw .failed("the bus gave no name")
    }
    uniqueName = name
  }

  private static let silent = DBusError(.noReply, "it does not answer")
  private static let closed = DBusError(.disconnected, "it closed the connection")

  /// What libdbus says of its own calls, said of a bus.
  private static func plainer(_ error: DBusError) -> DBusError {
    switch error.name {
    case .noReply: silent
    case .disconnected: closed
    default: error
    }
  }
}
