// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
package import EventLoop
import Settings

/// Tells when what was read may be old: the machine woke up, or its clock was set.
///
/// Waking up sets the clock, and the kernel tells who waits for a time of day: timerfd_create(2),
/// TFD_TIMER_CANCEL_ON_SET. No service has to be there for that. logind tells as well, once
/// services may go on, where its bus is connected to anyway; no connection is made for it.
package final class SleepWatch {
  private let link: BusLink
  private let handler: (_ afterSleep: Bool) -> Void
  private var clock: Timer?
  private var signal: MatchHandle?
  private var timeAsleep = EventLoop.timeAsleep

  /// Far more than the clocks are read apart, and far less than any sleep.
  private static let shortestSleep = Duration.milliseconds(10)

  /// - Parameters:
  ///   - link: the way to the bus where logind is.
  ///   - handler: told whether the machine slept, or else its clock was set.
  package init(
    link: BusLink, on loop: EventLoop, _ handler: @escaping (_ afterSleep: Bool) -> Void
  ) {
    self.link = link
    self.handler = handler
    clock = loop.at(realtimeMicroseconds: .max) { [weak self] event in
      if event == .clockChanged { self?.clockChanged() }
    }
    link.follow(self, connecting: false) { [weak self] outcome in
      self?.signal = nil
      if case .success(let bus) = outcome { self?.listen(bus.calls.connection) }
    }
  }

  isolated deinit {
    link.unfollow(self)
  }

  private func clockChanged() {
    let before = timeAsleep
    timeAsleep = EventLoop.timeAsleep
    handler(timeAsleep > before + Self.shortestSleep)
  }

  private func listen(_ connection: Connection) {
    let rule = MatchRule(
      sender: .logind, path: .object(.logind), interface: .logindManager, member: "PrepareForSleep")
    signal = connection.addMatch(rule) { [weak self] message in
      // True is told before the machine sleeps.
      if let isBefore = try? message.read(Bool.self), !isBefore { self?.handler(true) }
    }
  }
}
