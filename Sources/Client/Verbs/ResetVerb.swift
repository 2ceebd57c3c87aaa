// SPDX-License-Identifier: MIT

/// `reset ROW...`: back to the schedule's value, or to the default.
enum ResetVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    try Flip.run(invocation, console) { daemon, path throws(RemoteError) in
      try daemon.reset(path, asksPassword: invocation.asksPassword)
    }
  }
}
