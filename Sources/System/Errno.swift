// SPDX-License-Identifier: MIT

// System is the edge to the kernel: files, descriptors, children, the environment.
//
// Every call that can fail throws a typed error where it is made, with the kernel's own number.
// EINTR is handled once, in `systemCall`. EBADF, but of a standard stream, and EFAULT can only come
// from a bug of ours and trap. Nothing here keeps state, so any thread may call it; what may block
// says so. Path strings with a NUL in them are refused with `.invalidArgument`: C would cut them
// short.

import CLinux
import Glibc

/// The number of a failed system call: an open set, as errno(3) is.
package struct Errno: Error, RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// What the calling thread's last failed C call left in `errno`.
  package static var current: Errno { Errno(rawValue: errno) }

  /// The C name, such as `ENOENT`; `errno 4095` for a number without one.
  package var name: String {
    guard let name = strerrorname_np(rawValue) else { return "errno \(rawValue)" }
    return String(cString: name)
  }
}

extension Errno: CustomStringConvertible {
  /// The text of strerror(3), such as `No such file or directory`.
  package var description: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, strerror_r(rawValue, base, buffer.count) == 0 else {
        return "Unknown error \(rawValue)"
      }
      return String(cString: base)
    }
  }
}
