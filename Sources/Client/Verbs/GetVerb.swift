// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// `get ROW...`: the state, for scripts. One call on the row's own object, and nothing that a
/// single call does not need: scripts and status bars run it often.
enum GetVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    let rows = try Daemons(invocation.scope).readRows(invocation.operands, console) {
      daemon, path throws(RemoteError) in
      if invocation.json { return try daemon.row(path) }
      var row = RowSnapshot(daemon.scope, path)
      row.state = try daemon.state(path)
      // Why it is unknown, the state alone does not say.
      return row.state == .unknown ? try daemon.row(path) : row
    }
    if invocation.json {
      try console.print(JSON.lines(rows.map { .object($0.stateJSON) }))
    } else if invocation.quiet {
      if let row = rows.last { console.end(with: ExitCode(row.state)) }
    } else {
      try console.print(rows.map { $0.state.rawValue + "\n" }.joined())
    }
  }
}

extension ExitCode {
  /// The answer of `get -q`.
  nonisolated init(_ state: SwitchState) {
    switch state {
    case .on: self = .done
    case .off: self = .off
    case .mixed, .unknown: self = .neither
    }
  }
}
