// SPDX-License-Identifier: MIT

import DBus
import EventLoop
import System

/// The loop of a connection that is otherwise asked with blocking calls, for what those can't wait
/// for. It is made when it is first needed, which most commands never do.
final class ConnectionLoop {
  private let connection: Connection
  private var attached: EventLoop?

  init(of connection: Connection) {
    self.connection = connection
  }

  /// Runs the loop until `body`, or what it started, stops it.
  func run(_ body: (EventLoop) throws(Errno) -> Void) throws(RemoteError) {
    do throws(Errno) {
      let loop = try loop()
      try body(loop)
      try loop.run()
    } catch {
      throw RemoteError(name: "org.freedesktop.DBus.Error.Failed", message: "can't wait: \(error)")
    }
  }

  private func loop() throws(Errno) -> EventLoop {
    if let attached { return attached }
    let loop = try EventLoop()
    try connection.attach(to: loop)
    attached = loop
    return loop
  }
}
