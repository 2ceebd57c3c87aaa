// SPDX-License-Identifier: MIT

import EventLoop

/// Calls again and again, for what can't tell of its changes.
final class IntervalTimer {
  private let loop: EventLoop
  private let interval: Duration
  private let body: () -> Void
  private var timer: Timer?

  /// Without an interval nothing is ever called, and nothing is armed.
  init?(_ interval: Duration?, on loop: EventLoop, _ body: @escaping () -> Void) {
    guard let interval else { return nil }
    self.loop = loop
    self.interval = interval
    self.body = body
    arm()
  }

  private func arm() {
    timer = loop.after(interval) { [weak self] in
      guard let self else { return }
      arm()
      body()
    }
  }
}
