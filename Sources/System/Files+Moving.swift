// SPDX-License-Identifier: MIT

import Glibc

extension Files {
  /// Whether anything has this path, a dangling link excepted.
  package static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }

  /// Gives a file another name in the same file system, over one that has it. The corresponding
  /// C function is `rename`.
  package static func rename(_ path: String, to newPath: String) throws(Errno) {
    guard Glibc.rename(path, newPath) == 0 else { throw Errno(rawValue: errno) }
  }
}
