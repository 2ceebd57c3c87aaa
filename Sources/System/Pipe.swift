// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// The two ends of a pipe, close-on-exec. Set one to nil to close it; `take()` hands it over.
package struct Pipe: ~Copyable {
  /// The end to read from.
  package var reader: FileDescriptor?
  /// The end to write to.
  package var writer: FileDescriptor?

  /// pipe2(2). `nonBlocking` counts for both ends.
  package init(nonBlocking: Bool = false) throws(Errno) {
    let ends = UnsafeMutableBufferPointer<Int32>.allocate(capacity: 2)
    defer { ends.deallocate() }
    ends.initialize(repeating: -1)
    let flags = O_CLOEXEC | (nonBlocking ? O_NONBLOCK : 0)
    _ = try systemCall { pipe2(ends.baseAddress, flags) }
    reader = FileDescriptor(adopting: ends[0])
    writer = FileDescriptor(adopting: ends[1])
  }

  /// The reading end's number; -1 once it is closed.
  package var readEnd: Int32 {
    // A switch, because optional chaining would consume.
    switch reader {
    case .some(let end): end.raw
    case nil: -1
    }
  }

  /// The writing end's number; -1 once it is closed.
  package var writeEnd: Int32 {
    // A switch, because optional chaining would consume.
    switch writer {
    case .some(let end): end.raw
    case nil: -1
    }
  }

  /// Whether there is something to read from the pipe that this is the reading end of, or its end,
  /// before `limit` has passed: poll(2).
  package static func isReadable(
    _ readEnd: Int32, within limit: Duration
  ) throws(Errno) -> Bool {
    var state = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    let milliseconds = Int32(clamping: Int64(limit / .milliseconds(1)))
    return try systemCall { poll(&state, 1, milliseconds) } > 0
  }

  /// Whether anybody has the reading end open of the pipe that this is the writing end of: poll(2).
  package static func hasReader(_ writeEnd: Int32) throws(Errno) -> Bool {
    // POLLERR is told unasked; of a socket it would be POLLHUP.
    var state = pollfd(fd: writeEnd, events: 0, revents: 0)
    _ = try systemCall { poll(&state, 1, 0) }
    return Int32(state.revents) & (POLLERR | POLLHUP) == 0
  }
}
