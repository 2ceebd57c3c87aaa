// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import System

/// Processes that are not a test's own children.
package enum Processes {
  /// Waits until the process has ended; at once if there is none of that number.
  package static func waitForEnd(
    of processID: Int32, within limit: Duration = patience
  ) throws {
    let pidfd = clinux_pidfd_open(processID, 0)
    if pidfd < 0 {
      let error = Errno.current
      if error == .noSuchProcess { return }
      throw error
    }
    defer { close(pidfd) }
    let hasEnded = try Deadline(after: limit).waitForAny(of: [pidfd])
    guard hasEnded else { throw TestFailure("process \(processID) still runs after \(limit)") }
  }
}
