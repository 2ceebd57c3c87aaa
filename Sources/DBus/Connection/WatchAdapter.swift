// SPDX-License-Identifier: MIT

import CDBus
import EventLoop
import System

/// Joins libdbus's watches to the loop.
///
/// libdbus makes two watches for its one socket, one to read and one to write, while epoll knows a
/// descriptor once: they share one registration whose interest is the union of the enabled ones.
@MainActor
final class WatchAdapter {
  private let connection: OpaquePointer
  private let loop: EventLoop
  /// Called around the handling of events: messages may arrive in it.
  private let beforeEvents: () -> Void
  private let afterEvents: () -> Void
  /// Watches in the order they came; two in practice.
  private var watches: [OpaquePointer] = []
  private var registration: DescriptorWatch?
  private var descriptor: Int32 = -1
  /// Why the socket could not be watched.
  private var failure: Errno?
  /// While events are handled libdbus toggles its write watch back and forth; one update at the
  /// end spares the system calls.
  private var isHandling = false

  init(
    _ connection: OpaquePointer, _ loop: EventLoop, beforeEvents: @escaping () -> Void,
    afterEvents: @escaping () -> Void
  ) throws(Errno) {
    self.connection = connection
    self.loop = loop
    self.beforeEvents = beforeEvents
    self.afterEvents = afterEvents
    let me = Unmanaged.passUnretained(self).toOpaque()
    check(
      dbus_connection_set_watch_functions(
        connection,
        { watch, data in
          guard let watch, let data else { return 0 }
          Unmanaged<WatchAdapter>.fromOpaque(data).takeUnretainedValue().add(watch)
          return 1
        },
        { watch, data in
          guard let watch, let data else { return }
          Unmanaged<WatchAdapter>.fromOpaque(data).takeUnretainedValue().remove(watch)
        },
        { _, data in
          guard let data else { return }
          Unmanaged<WatchAdapter>.fromOpaque(data).takeUnretainedValue().update()
        }, me, nil))
    if let failure {
      remove()
      throw failure
    }
  }

  /// Lets libdbus take its watches back; to be called before this object goes.
  func remove() {
    check(dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil))
    registration?.cancel()
    registration = nil
  }

  private func add(_ watch: OpaquePointer) {
    watches.append(watch)
    descriptor = dbus_watch_get_unix_fd(watch)
    update()
  }

  private func remove(_ watch: OpaquePointer) {
    watches.removeAll { $0 == watch }
    if watches.isEmpty {
      // The socket is about to be closed, so this cannot wait for the end of `handle`.
      registration?.cancel()
      registration = nil
    }
    update()
  }

  private func update() {
    guard !isHandling, !watches.isEmpty else { return }
    let interest = interest
    if let registration {
      registration.update(interest)
      return
    }
    do throws(Errno) {
      registration = try loop.watch(descriptor, for: interest) { [unowned self] in handle($0) }
    } catch {
      failure = error
    }
  }

  private var interest: Interest {
    var flags: UInt32 = 0
    for watch in watches where dbus_watch_get_enabled(watch) != 0 {
      flags |= dbus_watch_get_flags(watch)
    }
    // Asked for at every event, and a literal of another module's set is made by generic code.
    var bits: UInt32 = 0
    if flags & CDBUS_WATCH_READABLE != 0 { bits |= Interest.readable.rawValue }
    if flags & CDBUS_WATCH_WRITABLE != 0 { bits |= Interest.writable.rawValue }
    return Interest(rawValue: bits)
  }

  private func handle(_ events: Interest) {
    var conditions: UInt32 = 0
    if events.contains(.readable) { conditions |= CDBUS_WATCH_READABLE }
    if events.contains(.writable) { conditions |= CDBUS_WATCH_WRITABLE }
    if events.contains(.error) { conditions |= CDBUS_WATCH_ERROR }
    if events.contains(.hangup) { conditions |= CDBUS_WATCH_HANGUP }
    isHandling = true
    beforeEvents()
    // Handling one watch may remove the other, so each is looked up again.
    let present = watches
    for watch in present where watches.contains(watch) && dbus_watch_get_enabled(watch) != 0 {
      let always = CDBUS_WATCH_ERROR | CDBUS_WATCH_HANGUP
      let relevant = conditions & (dbus_watch_get_flags(watch) | always)
      if relevant != 0 { check(dbus_watch_handle(watch, relevant)) }
    }
    isHandling = false
    update()
    afterEvents()
  }
}
