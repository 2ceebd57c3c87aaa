// SPDX-License-Identifier: MIT

import DBusTypes
package import EventLoop
import System

/// Connects to a bus without holding anybody up, unless this is dropped before.
///
/// There is no time limit. To close the connection to a bus that hangs, and to make another, would
/// fill the backlog of its socket: what it has not accepted stays there. So whoever is no longer
/// content with an attempt under way keeps it nevertheless.
@MainActor
package final class ConnectionAttempt {
  /// Runs once, later, with a connection that is attached to the loop, or with why there is none.
  package typealias Completion = (Result<Connection, DBusError>) -> Void

  private let loop: EventLoop
  private var connection: Connection?
  private var hello: PendingCall?
  private var completion: Completion?

  package init(
    _ address: BusAddress, on loop: EventLoop, _ completion: @escaping Completion
  ) {
    self.loop = loop
    self.completion = completion
    do {
      try Connection.open(address, on: loop) { [weak self] opened in
        // Where nobody waits for it any more, it is closed with this.
        let opened = opened.map(Connection.init(adopting:))
        self?.greet(opened)
      }
    } catch {
      finishLater(error)
    }
  }

  isolated deinit {
    hello?.cancel()
  }

  private func greet(_ opened: Result<Connection, DBusError>) {
    do {
      let connection = try opened.get()
      try connection.attach(to: loop)
      self.connection = connection
      hello = connection.greet { [unowned self] result in
        finish(result.map { connection })
      }
    } catch {
      finishLater(error)
    }
  }

  private func finishLater(_ error: any Error) {
    let error = error as? DBusError ?? .failed("\(error)")
    loop.atEndOfTurn { [weak self] in self?.finish(.failure(error)) }
  }

  private func finish(_ result: Result<Connection, DBusError>) {
    let completion = completion
    (connection, hello, self.completion) = (nil, nil, nil)
    completion?(result)
  }
}
