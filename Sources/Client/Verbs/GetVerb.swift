// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// `get ROW...`: the state, for scripts. One call on the row's own object, and nothing that a
/// single call does not need: scripts and status bars run it often.
enum GetVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    let daemons = try Daemons(invocation.scope)
    if invocation.json { return try json(invocation.operands, daemons, console) }
    var lines = ""
    var last: SwitchState?
    try console.forEach(invocation.operands) { typed throws(Failure) in
      let found = try daemons.row(typed) { daemon, path throws(RemoteError) in
        try daemon.state(path)
      }
      lines += found.answer.rawValue + "\n"
      last = found.answer
    }
    if invocation.quiet {
      if let last { console.end(with: ExitCode(last)) }
    } else {
      try console.print(lines)
    }
  }

  private static func json(
    _ operands: [String], _ daemons: Daemons, _ console: Console
  ) throws(Failure) {
    var objects: [JSON] = []
    try console.forEach(operands) { typed throws(Failure) in
      let row = try daemons.row(typed) { daemon, path throws(RemoteError) in
        try daemon.row(path)
      }.answer
      objects.append(.object(row.stateJSON))
    }
    try console.print(JSON.lines(objects))
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
