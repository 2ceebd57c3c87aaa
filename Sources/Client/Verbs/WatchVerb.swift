// SPDX-License-Identifier: MIT

import EventLoop
import System

/// `watch [ROW...]`: the present state, then a line a change, for ever.
enum WatchVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    var failure: Failure?
    do throws(Errno) {
      let loop = try EventLoop()
      let watching = Watching(invocation, console, loop)
      try watching.start()
      try loop.run()
      failure = watching.failure
    } catch {
      failure = .local("can't watch: \(error)")
    }
    if let failure { throw failure }
  }
}
