// SPDX-License-Identifier: MIT

import Glibc

/// What the service manager demands to hear, as sd_watchdog_enabled(3) says.
nonisolated struct WatchdogRequest: Hashable, Sendable {
  /// At least once in this time.
  let interval: Duration

  /// - Parameters:
  ///   - environment: a variable's value.
  ///   - processID: this process; the demand may be another's, and was inherited.
  /// - Returns: nil where nothing is demanded, of this process.
  init?(environment: (String) -> String?, processID: Int32 = getpid()) {
    guard let text = environment("WATCHDOG_USEC"), let microseconds = UInt64(text),
      microseconds > 0, microseconds < .max
    else { return nil }
    if let text = environment("WATCHDOG_PID"), Int32(text) != processID { return nil }
    interval = .microseconds(Int64(clamping: microseconds))
  }
}
