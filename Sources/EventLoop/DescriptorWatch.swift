// SPDX-License-Identifier: MIT

package import System

/// A descriptor that the loop watches until this is cancelled or dropped, which must happen
/// before the descriptor is closed.
@MainActor
package final class DescriptorWatch {
  private let loop: EventLoop
  private let registration: Registration

  init(loop: EventLoop, registration: Registration) {
    self.loop = loop
    self.registration = registration
  }

  isolated deinit {
    loop.remove(registration)
  }

  /// Changes what is watched for. An empty interest keeps the watch and silences it, hang-ups
  /// included. Nothing after `cancel()`.
  package func update(_ interest: Interest) {
    loop.update(registration, interest)
  }

  /// Ends the watch: the handler is let go and never called again.
  package func cancel() {
    loop.remove(registration)
  }
}

extension EventLoop {
  /// Calls `handler` with what the descriptor is ready for, as long as it is (level-triggered).
  /// `.hangup` and `.error` are told unasked. The descriptor stays the caller's.
  ///
  /// Throws `.fileExists` for a descriptor that is watched already and `.notPermitted` for one
  /// that is always ready, such as a file on a disk.
  package func watch(
    _ descriptor: Int32, for interest: Interest, _ handler: @escaping (Interest) -> Void
  ) throws(Errno) -> DescriptorWatch {
    DescriptorWatch(loop: self, registration: try register(descriptor, interest, handler))
  }
}
