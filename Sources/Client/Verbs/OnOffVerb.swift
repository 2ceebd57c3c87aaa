// SPDX-License-Identifier: MIT

/// `on ROW...` and `off ROW...`.
enum OnOffVerb {
  static func run(_ invocation: Invocation, _ console: Console, on: Bool) throws(Failure) {
    try Flip.run(invocation, console) { daemon, path throws(RemoteError) in
      try daemon.setOn(on, path, asksPassword: invocation.asksPassword)
    }
  }
}
