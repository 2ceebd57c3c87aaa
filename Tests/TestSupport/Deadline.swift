// SPDX-License-Identifier: MIT

import CLinux
import Glibc
package import System

/// A moment after which a wait has failed.
package struct Deadline {
  private let instant: ContinuousClock.Instant

  /// One that is so far away from now.
  package init(after duration: Duration) {
    instant = ContinuousClock.now + duration
  }

  /// Whether it is over.
  package var hasPassed: Bool { ContinuousClock.now >= instant }

  /// Waits until one of the descriptors is readable or hung up, or this has passed (false).
  @discardableResult
  package func waitForAny(of descriptors: [Int32]) throws(Errno) -> Bool {
    var wanted = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let left = max(.zero, instant - ContinuousClock.now)
    let milliseconds = left / .milliseconds(1)
    let count = try systemCall {
      poll(&wanted, nfds_t(wanted.count), Int32(milliseconds.rounded(.up)))
    }
    return count > 0
  }

  /// Lets others work before the next look at what nobody is told of, such as a state in /proc;
  /// false when this has passed.
  package func pauseForOthers() -> Bool {
    guard !hasPassed else { return false }
    poll(nil, 0, 10)
    return true
  }
}
