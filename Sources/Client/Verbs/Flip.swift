// SPDX-License-Identifier: MIT

import DBusTypes

/// What the verbs that flip have in common: every row is tried, each waits until the daemon has
/// confirmed it, and what is said afterwards is read back.
enum Flip {
  /// Asks a daemon to flip a row, and says whether that changed it.
  typealias Action = (Daemon, ObjectPath) throws(RemoteError) -> Bool

  /// Flips the rows of a command line.
  static func run(
    _ invocation: Invocation, _ console: Console, _ action: Action
  ) throws(Failure) {
    let daemons = try Daemons(invocation.scope)
    let results = try rows(invocation.operands, daemons, invocation, console, action)
    if invocation.json { try console.print(JSON.lines(results.map(\.json))) }
  }

  /// Flips these rows, and gives what came of each; failures are reported as they happen.
  static func rows(
    _ ids: [String], _ daemons: Daemons, _ invocation: Invocation, _ console: Console,
    _ action: Action
  ) throws(Failure) -> [FlipResult] {
    var results: [FlipResult] = []
    try console.forEach(ids) { typed throws(Failure) in
      var result = FlipResult(typed: typed)
      do throws(Failure) {
        let done = try daemons.act(typed, action)
        result.changed = done.answer
        if invocation.json || invocation.verbose { result.row = try? done.daemon.row(done.path) }
      } catch {
        result.failure = error
        if invocation.json { result.row = daemons.readBack(typed) }
      }
      results.append(result)
      if let failure = result.failure { throw failure }
      if invocation.verbose && !invocation.json { try console.print(result.text) }
    }
    return results
  }
}
