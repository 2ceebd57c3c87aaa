// SPDX-License-Identifier: MIT

import CDBus
import EventLoop

/// Joins libdbus's time-outs to the loop's timers.
///
/// A time-out repeats until libdbus removes it, so the timer is set anew each time it ran out.
@MainActor
final class TimeoutAdapter {
  private let connection: OpaquePointer
  private let loop: EventLoop
  private var timers: [OpaquePointer: Timer] = [:]

  init(_ connection: OpaquePointer, _ loop: EventLoop) {
    self.connection = connection
    self.loop = loop
    let me = Unmanaged.passUnretained(self).toOpaque()
    check(
      dbus_connection_set_timeout_functions(
        connection,
        { timeout, data in
          guard let timeout, let data else { return 0 }
          Unmanaged<TimeoutAdapter>.fromOpaque(data).takeUnretainedValue().set(timeout)
          return 1
        },
        { timeout, data in
          guard let timeout, let data else { return }
          Unmanaged<TimeoutAdapter>.fromOpaque(data).takeUnretainedValue().remove(timeout)
        },
        { timeout, data in
          guard let timeout, let data else { return }
          Unmanaged<TimeoutAdapter>.fromOpaque(data).takeUnretainedValue().set(timeout)
        }, me, nil))
  }

  /// Lets libdbus take its time-outs back; to be called before this object goes.
  func remove() {
    check(dbus_connection_set_timeout_functions(connection, nil, nil, nil, nil, nil))
    for timer in timers.values {
      timer.cancel()
    }
    timers = [:]
  }

  private func set(_ timeout: OpaquePointer) {
    remove(timeout)
    guard dbus_timeout_get_enabled(timeout) != 0 else { return }
    let interval = Duration.milliseconds(Int(dbus_timeout_get_interval(timeout)))
    timers[timeout] = loop.after(interval) { [unowned self] in expire(timeout) }
  }

  private func remove(_ timeout: OpaquePointer) {
    timers.removeValue(forKey: timeout)?.cancel()
  }

  private func expire(_ timeout: OpaquePointer) {
    let fired = timers[timeout]
    check(dbus_timeout_handle(timeout))
    // Handling may have removed it, or set it anew; otherwise it repeats.
    if let fired, timers[timeout] === fired { set(timeout) }
  }
}
