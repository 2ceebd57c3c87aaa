// SPDX-License-Identifier: MIT

import EventLoop
import TestSupport

extension EventLoop {
  /// Turns until the condition holds. Every turn ends with an event or at the deadline.
  func turn(until condition: () -> Bool) throws {
    let deadline = EventLoop.now + patience
    while !condition() {
      let left = deadline - EventLoop.now
      guard left > .zero else { throw TestFailure("the loop saw nothing for \(patience)") }
      try turn(atMost: left)
    }
  }

  /// Handles what is there already, and what the handlers leave for the next turns.
  func settle() throws {
    for _ in 0..<5 { try turn(atMost: .zero) }
  }
}
