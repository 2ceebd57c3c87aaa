// SPDX-License-Identifier: MIT

import DBusTypes
package import EventLoop
import System

/// Connects to a bus without waiting for it, unless this is dropped before.
@MainActor
package final class ConnectionAttempt {
  /// Runs once, later, with a connection that is attached to the loop, or with why there is none.
  package typealias Completion = (Result<Connection, DBusError>) -> Void

  private var connection: Connection?
  private var hello: PendingCall?
  private var completion: Completion?

  /// - Parameter limit: how long the bus may take until it has greeted.
  package init(
    _ address: BusAddress, on loop: EventLoop, within limit: Duration = Connection.greetingTime,
    _ completion: @escaping Completion
  ) {
    self.completion = completion
    do {
      let connection = try Connection(ungreeted: address)
      try connection.attach(to: loop)
      self.connection = connection
      hello = connection.greet(within: limit) { [unowned self] result in
        finish(result.map { connection })
      }
    } catch {
      let error = error as? DBusError ?? .failed("\(error)")
      loop.atEndOfTurn { [weak self] in self?.finish(.failure(error)) }
    }
  }

  isolated deinit {
    hello?.cancel()
  }

  private func finish(_ result: Result<Connection, DBusError>) {
    let completion = completion
    (connection, hello, self.completion) = (nil, nil, nil)
    completion?(result)
  }
}
