// SPDX-License-Identifier: MIT

/// What happened to a timer set for a time of day.
package nonisolated enum TimerEvent: Hashable, Sendable {
  /// Its time has come. The timer is spent.
  case due
  /// The clock was set, or the machine woke up. The timer still stands for the same time of day.
  case clockChanged
}

/// A timer that fires once, unless it is cancelled or dropped before.
@MainActor
package final class Timer {
  private let queue: TimerQueue
  private let entry: TimerEntry

  init(queue: TimerQueue, entry: TimerEntry) {
    self.queue = queue
    self.entry = entry
  }

  isolated deinit {
    queue.remove(entry)
  }

  /// Whether it can still fire.
  package var isActive: Bool { entry.isActive }

  /// Ends the timer: the handler is let go and never called again.
  package func cancel() {
    queue.remove(entry)
  }
}

extension EventLoop {
  /// Calls `handler` once after `delay` on CLOCK_MONOTONIC, which stands still while the machine
  /// sleeps: whom something is expected from sleeps too. A delay of zero or less is over in the
  /// next turn.
  package func after(_ delay: Duration, _ handler: @escaping () -> Void) -> Timer {
    let (deadline, overflow) = Clock.awake.nanoseconds
      .addingReportingOverflow(max(0, delay.nanoseconds))
    return timers(on: .awake).add(deadline: overflow ? .max : deadline) { _ in handler() }
  }

  /// Calls `handler` with `.due` once CLOCK_REALTIME has reached this time, in microseconds since
  /// 1970, and before that with `.clockChanged` each time someone sets the clock.
  package func at(
    realtimeMicroseconds: UInt64, _ handler: @escaping (TimerEvent) -> Void
  ) -> Timer {
    let (deadline, overflow) = Int64(clamping: realtimeMicroseconds)
      .multipliedReportingOverflow(by: 1000)
    return timers(on: .real).add(deadline: overflow ? .max : deadline, handler)
  }

  private func timers(on clock: Clock) -> TimerQueue {
    if let queue = timerQueues.first(where: { $0.clock == clock }) { return queue }
    let queue = TimerQueue(clock: clock, loop: self)
    timerQueues.append(queue)
    return queue
  }
}
