// SPDX-License-Identifier: MIT

import Glibc

/// The two clocks that timers run on.
nonisolated enum Clock {
  /// CLOCK_BOOTTIME: goes on through a sleep and nobody can set it.
  case boot
  /// CLOCK_REALTIME: the time of day.
  case real

  var identifier: clockid_t {
    switch self {
    case .boot: CLOCK_BOOTTIME
    case .real: CLOCK_REALTIME
    }
  }

  /// Nanoseconds. No system call: the kernel's vDSO answers.
  var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(identifier, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension EventLoop {
  /// The time since boot, sleep included: CLOCK_BOOTTIME.
  package nonisolated static var now: Duration { .nanoseconds(Clock.boot.nanoseconds) }

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
