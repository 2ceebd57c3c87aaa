// SPDX-License-Identifier: MIT

import DBusTypes

/// `refresh [ROW...]`: reads rows again, all of them if none is named.
enum RefreshVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    let daemons = try Daemons(invocation.scope)
    var results: [FlipResult] = []
    if invocation.operands.isEmpty {
      var known: [(daemon: Daemon, ids: [String])] = []
      try daemons.ask { daemon throws(RemoteError) in
        known.append((daemon, try daemon.ids()))
      } refused: {
        console.report(.answered(row: nil, $0))
      }
      for (daemon, ids) in known {
        results += try refresh(ids, Daemons(only: daemon), invocation, console)
      }
    } else {
      results = try refresh(invocation.operands, daemons, invocation, console)
    }
    if invocation.json { try console.print(JSON.lines(results.map(\.json))) }
  }

  private static func refresh(
    _ ids: [String], _ daemons: Daemons, _ invocation: Invocation, _ console: Console
  ) throws(Failure) -> [FlipResult] {
    try Flip.rows(ids, daemons, invocation, console) { daemon, path throws(RemoteError) in
      guard invocation.json else {
        try daemon.refresh(path)
        return false
      }
      let before = try daemon.state(path)
      try daemon.refresh(path)
      return try daemon.state(path) != before
    }
  }
}
