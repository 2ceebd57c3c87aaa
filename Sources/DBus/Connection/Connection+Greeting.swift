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
    let opened: Result<UInt, DBusError>
    do throws(Errno) {
      opened = try interrupted(after: deadline - EventLoop.now) { openSocket(text) }
    } catch {
      throw .failed("can't set a time limit: \(error)")
    }
    if case .failure = opened, EventLoop.now >= deadline { throw silent }
    return check(OpaquePointer(bitPattern: try opened.get()))
  }

  /// Opens the address's socket on a thread, however long that takes. `completion` gets, in a turn
  /// of `loop`, what `init(adopting:)` takes over.
  static func open(
    _ address: BusAddress, on loop: EventLoop,
    _ completion: @escaping (Result<OpaquePointer, DBusError>) -> Void
  ) throws {
    let text = try address.resolve()
    try loop.onThread({ openSocket(text) }) { opened in
      completion(opened.map { check(OpaquePointer(bitPattern: $0)) })
    }
  }

  /// The address of a libdbus connection that nobody else knows.
  private nonisolated static func openSocket(_ address: String) -> Result<UInt, DBusError> {
    do throws(DBusError) {
      let raw = try withError { error in dbus_connection_open_private(address, error) }
      return .success(UInt(bitPattern: check(raw)))
    } catch  where error.name == .badAddress {
      return .failure(
        DBusError(
          .badAddress,
          "'\(address)' is no address of a bus (\(error.message)); expected such as "
            + "unix:path=/run/user/1000/bus"))
    } catch {
      return .failure(error)
    }
  }

  /// Says Hello, and waits for the answer without a loop.
  private func greet(until deadline: Duration) throws(DBusError) {
    var outcome: Result<Void, DBusError>?
    let hello = greet { outcome = $0 }
    var isOpen = true
    while outcome == nil {
      let left = deadline - EventLoop.now
      guard isOpen, left > .zero else {
        hello.cancel()
        throw isOpen ? Self.silent : Self.closed
      }
      isOpen = dbus_connection_read_write_dispatch(raw, Optional(left).milliseconds) != 0
    }
    try outcome?.get()
  }

  /// Says Hello, with a loop. `completion` runs once, when the bus answers or is gone, unless the
  /// call is cancelled.
  func greet(_ completion: @escaping (Result<Void, DBusError>) -> Void) -> PendingCall {
    call(
      destination: .bus, path: .bus, interface: .bus, member: "Hello", timeout: nil
    ) { [unowned self] result in
      completion(result.reading(String.self).mapError(Self.plainer).flatMap(take))
    }
  }

  private func take(_ name: String) -> Result<Void, DBusError> {
    guard let name = BusName(name), name.isUnique else {
      return .failure(.failed("the bus gave no name"))
    }
    uniqueName = name
    return .success(())
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
