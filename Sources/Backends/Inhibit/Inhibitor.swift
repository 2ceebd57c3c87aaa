// SPDX-License-Identifier: MIT

import DBusTypes
import EventLoop
import System

/// One of logind's inhibitors, which lasts until this goes.
///
/// What logind gives is the writing end of a pipe and nothing else: logind has the inhibitor for as
/// long as it has the reading end open, and gives it up when the last writing end is closed.
@MainActor
final class Inhibitor {
  private let descriptor: UnixDescriptor
  private var watch: DescriptorWatch?

  /// - Parameter dropped: called when logind has closed its end; once, until `isHeld` finds it open
  ///   again.
  /// - Throws: what epoll_ctl(2) refuses a descriptor with that is no pipe.
  init(
    _ descriptor: UnixDescriptor, loop: EventLoop, dropped: @escaping () -> Void
  ) throws(Errno) {
    self.descriptor = descriptor
    watch = try loop.watch(descriptor.number, for: .error) { [weak self] _ in
      // It would be told for as long as the end is closed.
      self?.watch?.update([])
      dropped()
    }
  }

  isolated deinit {
    // The descriptor is closed after this.
    watch?.cancel()
  }

  /// Whether logind has its end of the pipe open now.
  var isHeld: Bool {
    get throws(Errno) {
      guard try Pipe.hasReader(descriptor.number) else { return false }
      watch?.update(.error)
      return true
    }
  }
}
