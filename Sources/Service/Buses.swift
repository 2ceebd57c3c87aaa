// SPDX-License-Identifier: MIT

import Backends
import DBus
import EventLoop
import Settings

/// The buses that backends read from: the daemon's own, and the other once a row needs it.
final class Buses {
  private let loop: EventLoop
  private var buses: [Scope: RemoteBus]
  /// Told when the other bus goes; the daemon's own is watched by its owner.
  var onLoss: ((Scope) -> Void)?

  init(_ scope: Scope, connection: Connection, loop: EventLoop) {
    self.loop = loop
    buses = [scope: RemoteBus(connection)]
  }

  /// The bus, or why it can't be reached. Connects at the first call that succeeds.
  func bus(_ wanted: Scope) -> Result<RemoteBus, Problem> {
    if let bus = buses[wanted] { return .success(bus) }
    do {
      let connection = try Connection(wanted == .system ? .system : .session)
      try connection.attach(to: loop)
      connection.onDisconnect = { [weak self] in
        self?.buses[wanted] = nil
        self?.onLoss?(wanted)
      }
      let bus = RemoteBus(connection)
      buses[wanted] = bus
      return .success(bus)
    } catch {
      return .failure(
        Problem(.noService, "the \(wanted.rawValue) bus can't be reached: \(error)"))
    }
  }
}
