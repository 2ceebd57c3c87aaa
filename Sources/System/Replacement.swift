// SPDX-License-Identifier: MIT

import Glibc

/// A file written beside another one, to take its place by rename(2).
///
/// Its name starts with a dot, ends in `.tmp` and has random digits between, so that neither a
/// second writer nor a crash's leftover is ever taken for the value. Dropped without `commit()`
/// it removes itself. The old file is kept under that name from then on, until this is dropped, so
/// that `revert()` can bring it back. The caller decides where to wait for the disk: fsync
/// `descriptor` before `commit()`, and the directory after it.
package struct Replacement: ~Copyable {
  /// The directory of both files: to be synchronised after `commit()`.
  package let directory: Directory
  /// The new file, open for writing.
  package let descriptor: FileDescriptor
  /// The name that the new bytes have until then.
  package let temporaryName: String
  private let name: String
  private var fate = Fate.temporary

  /// What the temporary name is.
  private enum Fate {
    /// The new file's, and the old one has its own.
    case temporary
    /// The old file's: they were exchanged.
    case exchanged
    /// Nobody's: there was no old file.
    case placed
    /// Nobody's: the old file is gone, as the file system knows no exchange.
    case final
  }

  /// Writes the bytes to a new file in the directory, for the one of this name. `mode` is exact,
  /// whatever the umask.
  package static func prepare(
    _ name: String, in directory: consuming Directory, with bytes: [UInt8], mode: UInt32
  ) throws(Errno) -> Replacement {
    guard !name.isEmpty, name != "/" else { throw .isDirectory }
    // 64 random bits and O_EXCL: a name that is taken is an error, not a thing to try again.
    let temporaryName = temporaryName(beside: name)
    let descriptor = try directory.open(
      temporaryName, [.writeOnly, .create, .exclusive, .noFollow])
    let replacement = Replacement(
      name: name, temporaryName: temporaryName, directory: directory, descriptor: descriptor)
    try replacement.descriptor.writeAll(bytes)
    _ = try systemCall { fchmod(replacement.descriptor.raw, mode) }
    return replacement
  }

  private init(
    name: String, temporaryName: String, directory: consuming Directory,
    descriptor: consuming FileDescriptor
  ) {
    self.name = name
    self.temporaryName = temporaryName
    self.directory = directory
    self.descriptor = descriptor
  }

  deinit {
    switch fate {
    case .temporary, .exchanged: try? directory.remove(temporaryName)
    case .placed, .final: break
    }
  }

  /// Puts the new file in the old one's place: renameat2(2).
  package mutating func commit() throws(Errno) {
    // An exchange would take it for a file.
    if (try? directory.status(name))?.kind == .directory { throw .isDirectory }
    do throws(Errno) {
      try directory.exchange(temporaryName, name)
      fate = .exchanged
    } catch .noSuchFileOrDirectory {
      try directory.rename(temporaryName, to: name)
      fate = .placed
    } catch {
      // The file system has no exchange, or what is there is none to exchange with: rename(2) says.
      try directory.rename(temporaryName, to: name)
      fate = .final
    }
  }

  /// Brings the old file back, or its absence, where the file system can: what was committed did
  /// not come to the disk.
  package mutating func revert() {
    do throws(Errno) {
      switch fate {
      case .exchanged: try directory.exchange(temporaryName, name)
      case .placed: try directory.rename(name, to: temporaryName)
      case .temporary, .final: return
      }
      fate = .temporary
    } catch {
      // Who reads the file sees which of them it is.
    }
  }

  /// Removes what crashes left in a directory. Only for the one writer of all its files, before it
  /// writes.
  package static func removeLeftovers(in directory: borrowing Directory) throws(Errno) {
    for name in try directory.list() where isTemporary(name) {
      try directory.remove(name)
    }
  }

  private static func temporaryName(beside name: String) -> String {
    let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
    let padding = String(repeating: "0", count: 16 - digits.utf8.count)
    return ".\(name).\(padding)\(digits).tmp"
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
