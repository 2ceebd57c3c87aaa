// SPDX-License-Identifier: MIT

import Backends
import DBus
import EventLoop
import Settings

/// The buses that backends read from: the daemon's own, and the other once a row needs it.
///
/// The loss of the daemon's own ends the daemon; the other one may come and go.
final class Buses {
  private let own: BusLink
  private let other: BusLink
  private let scope: Scope

  init(_ scope: Scope, connection: Connection, loop: EventLoop, log: Log) {
    self.scope = scope
    own = BusLink(scope, connection, on: loop)
    let otherScope: Scope = scope == .system ? .session : .system
    other = BusLink(otherScope, at: BusAddress(otherScope), on: loop) { log.warning($0) }
  }

  func link(to wanted: Scope) -> BusLink {
    wanted == scope ? own : other
  }
}
