// SPDX-License-Identifier: MIT

import CDBus
import DBusTypes
import EventLoop

// The first words with a bus: authentication, which libdbus sees to, and Hello. A bus that hangs
// still accepts connections, the kernel does that for it; so both have a time limit, which libdbus
// itself does not keep before the authentication is over.

extension Connection {
  /// How long a bus may take until it has greeted.
  package nonisolated static let greetingTime = Duration.seconds(10)

  /// Says Hello, and waits for the answer without a loop.
  func greet(within limit: Duration) throws(DBusError) {
    let deadline = EventLoop.now + limit
    var outcome: Result<Void, DBusError>?
    let hello = greet(within: limit) { outcome = $0 }
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

  /// Says Hello, with a loop. `completion` runs once, unless the call is cancelled.
  func greet(
    within limit: Duration, _ completion: @escaping (Result<Void, DBusError>) -> Void
  ) -> PendingCall {
    call(
      destination: .bus, path: .bus, interface: .bus, member: "Hello", timeout: limit
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
