// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// Descriptors 0 to 2, which a careless parent may have left closed.
package enum StandardStreams {
  /// Takes the number of each that is closed: else the connection to a bus would get it, and our
  /// own words would be written into that. What is read from or written to it fails, as it should:
  /// /dev/null is opened the other way round.
  package static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is taken, which is this one.
      _ = Glibc.open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// What descriptor 2 leads to: fstat(2).
  package static func errorStatus() throws(Errno) -> FileStatus {
    var status = stat()
    _ = try systemCall { fstat(STDERR_FILENO, &status) }
    return FileStatus(status)
  }
}
