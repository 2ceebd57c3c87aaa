// SPDX-License-Identifier: MIT

/// An open file descriptor that travels in a message. Specification: `UNIX_FD`.
///
/// The descriptor is closed when the last reference goes. Two are equal only when they are the same
/// object: the number alone says nothing once it has been closed and used again.
package final class UnixDescriptor: Hashable, Sendable {
  /// The descriptor's number, valid while this object lives.
  package let number: Int32
  private let close: @Sendable (Int32) -> Void

  /// Takes ownership of `number`; `close` is called with it exactly once. The function is given by
  /// the caller because this module makes no system calls.
  package init(adopting number: Int32, close: @escaping @Sendable (Int32) -> Void) {
    self.number = number
    self.close = close
  }

  deinit {
    close(number)
  }

  package static func == (left: UnixDescriptor, right: UnixDescriptor) -> Bool {
    left === right
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
