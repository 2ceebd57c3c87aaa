// SPDX-License-Identifier: MIT

import Glibc
package import System

extension Files {
  /// Replaces a file by another with these bytes and exactly this mode: whole or not at all, so
  /// that who watches it never sees half of them.
  package static func replace(
    _ path: String, with bytes: [UInt8], mode: UInt32 = 0o644
  ) throws(Errno) {
    let parts = PathParts(path)
    var replacement = try Replacement.prepare(
      parts.name, in: Directory(parts.directory), with: bytes, mode: mode)
    try replacement.commit()
  }

  /// Gives a file another name in the same file system, over one that has it. The corresponding
  /// C function is `rename`.
  package static func rename(_ path: String, to newPath: String) throws(Errno) {
    guard Glibc.rename(path, newPath) == 0 else { throw .current }
  }
}
