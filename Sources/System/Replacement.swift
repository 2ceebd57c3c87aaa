// SPDX-License-Identifier: MIT

import Glibc

/// A file written beside another one, to take its place by rename(2).
///
/// Its name starts with a dot, ends in `.tmp` and has random digits between, so that neither a
/// second writer nor a crash's leftover is ever taken for the value. Dropped without `commit()`
/// it removes itself. The caller decides where to wait for the disk: fsync `descriptor` before
/// `commit()`, and the directory after it.
package struct Replacement: ~Copyable {
  /// The file that is to be replaced.
  package let path: String
  /// Where the new bytes are until then, in the same directory.
  package let temporaryPath: String
  /// The new file, open for writing.
  package let descriptor: FileDescriptor
  private var isCommitted: Bool

  /// Writes the bytes to a new file in the directory of `path`. `mode` is exact, whatever the
  /// umask.
  package static func prepare(
    _ path: String, with bytes: [UInt8], mode: UInt32
  ) throws(Errno) -> Replacement {
    let parts = PathParts(path)
    guard !parts.name.isEmpty, parts.name != "/" else { throw .isDirectory }
    // 64 random bits and O_EXCL: a name that is taken is an error, not a thing to try again.
    let temporaryPath = temporaryPath(beside: parts)
    let replacement = Replacement(
      path: path, temporaryPath: temporaryPath,
      descriptor: try .open(temporaryPath, [.writeOnly, .create, .exclusive, .noFollow]))
    try replacement.descriptor.writeAll(bytes)
    _ = try systemCall { fchmod(replacement.descriptor.raw, mode) }
    return replacement
  }

  private init(path: String, temporaryPath: String, descriptor: consuming FileDescriptor) {
    self.path = path
    self.temporaryPath = temporaryPath
    self.descriptor = descriptor
    isCommitted = false
  }

  deinit {
    if !isCommitted { try? Files.remove(temporaryPath) }
  }

  /// Puts the new file in the old one's place: rename(2).
  package mutating func commit() throws(Errno) {
    let target = path
    _ = try systemCall(path: temporaryPath) { from in
      target.withCString { rename(from, $0) }
    }
    isCommitted = true
  }

  /// Removes what crashes left in a directory. Only for the one writer of all its files, before it
  /// writes.
  package static func removeLeftovers(in directory: String) throws(Errno) {
    for name in try Files.list(directory) where isTemporary(name) {
      try Files.remove("\(directory)/\(name)")
    }
  }

  private static func temporaryPath(beside parts: PathParts) -> String {
    let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
    let padding = String(repeating: "0", count: 16 - digits.utf8.count)
    return "\(parts.directory)/.\(parts.name).\(padding)\(digits).tmp"
  }

  private static func isTemporary(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0].isEmpty, parts.last == "tmp" else { return false }
    let digits = parts[parts.count - 2]
    return digits.utf8.count == 16
      && digits.utf8.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
  }
}
