// SPDX-License-Identifier: MIT

/// What the loop knows of one descriptor in its epoll set.
@MainActor
final class Registration {
  /// Tells this registration's events from those of an earlier one of the same descriptor.
  let identifier: UInt32
  let descriptor: Int32
  var interest: Interest
  var handler: (Interest) -> Void

  init(
    identifier: UInt32, descriptor: Int32, interest: Interest,
    handler: @escaping (Interest) -> Void
  ) {
    self.identifier = identifier
    self.descriptor = descriptor
    self.interest = interest
    self.handler = handler
  }
}
