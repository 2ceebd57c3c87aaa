// SPDX-License-Identifier: MIT

/// Tells once when nothing has happened for a while.
///
/// Costs a count a turn and a timer a while: not a clock reading, nor a time-out, for every event.
/// The timer looks whether anything happened since it was set, and if so is set again.
@MainActor
final class Lull {
  private let loop: EventLoop
  private let length: Duration
  private let settle: () -> Void
  private var turns = 0
  private var timer: Timer?
  /// The turn under way is the one in which the lull was told of.
  private var isTold = false

  init(_ loop: EventLoop, _ length: Duration, _ settle: @escaping () -> Void) {
    self.loop = loop
    self.length = length
    self.settle = settle
    arm(seen: turns)
  }

  /// A turn of the loop had something to do.
  func noteTurn() {
    turns &+= 1
    if isTold {
      isTold = false
    } else if timer == nil {
      arm(seen: turns)
    }
  }

  private func arm(seen: Int) {
    timer = loop.after(length) { [unowned self] in
      // The turn that this timer fires in is noted after it, and is nobody's doing.
      loop.noteEvent()
      guard turns == seen else { return arm(seen: turns &+ 1) }
      timer = nil
      isTold = true
      settle()
    }
  }
}
