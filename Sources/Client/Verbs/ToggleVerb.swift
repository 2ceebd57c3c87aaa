// SPDX-License-Identifier: MIT

/// `toggle ROW...`: the daemon flips, so that two callers at once are two flips.
enum ToggleVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    try Flip.run(invocation, console) { daemon, path throws(RemoteError) in
      try daemon.toggle(path, asksPassword: invocation.asksPassword)
      return true
    }
  }
}
