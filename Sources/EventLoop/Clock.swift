// SPDX-License-Identifier: MIT

import Glibc

/// The two clocks that timers run on.
nonisolated enum Clock {
  /// CLOCK_MONOTONIC: stands still while the machine sleeps, and nobody can set it.
  case awake
  /// CLOCK_REALTIME: the time of day.
  case real

  var identifier: clockid_t {
    switch self {
    case .awake: CLOCK_MONOTONIC
    case .real: CLOCK_REALTIME
    }
  }

  var nanoseconds: Int64 { Self.nanoseconds(identifier) }

  /// No system call: the kernel's vDSO answers.
  static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension EventLoop {
  /// The time since boot, without that of sleep: CLOCK_MONOTONIC.
  package nonisolated static var now: Duration { .nanoseconds(Clock.awake.nanoseconds) }

  /// How long the machine has slept since boot: CLOCK_BOOTTIME goes on meanwhile. A millisecond
  /// more or less each time it is asked.
  package nonisolated static var timeAsleep: Duration {
    while true {
      let before = Clock.awake.nanoseconds
      let sinceBoot = Clock.nanoseconds(CLOCK_BOOTTIME)
      // What held this process up between the two was no sleep.
      guard Clock.awake.nanoseconds - before < 1_000_000 else { continue }
      return .nanoseconds(sinceBoot - before)
    }
  }

  /// The time of day in microseconds since 1970: CLOCK_REALTIME.
  package nonisolated static var realtimeMicroseconds: UInt64 {
    UInt64(clamping: Clock.real.nanoseconds / 1000)
  }
}

extension Duration {
  /// Nanoseconds; the nearest that fits for a duration of more than 292 years.
  nonisolated var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    if carry { return seconds < 0 ? .min : .max }
    return sum
  }
}
