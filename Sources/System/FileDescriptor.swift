// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// An open descriptor with one owner, closed when that goes out of scope.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The number, for a call made while this value lives.
  package let raw: Int32

  /// Takes over a descriptor that nothing else will close.
  package init(adopting raw: Int32) {
    precondition(raw >= 0, "a negative descriptor is a failed call that was not checked")
    self.raw = raw
  }

  deinit {
    // EINTR too means closed on Linux, so there is nothing to try again and nobody to tell.
    _ = close(raw)
  }

  /// Gives the descriptor up without closing it: the caller owns the number now.
  package consuming func release() -> Int32 {
    let raw = self.raw
    discard self
    return raw
  }

  /// Opens `path`, close-on-exec. `permissions` count for a file that this creates, less the
  /// umask. Blocks where open(2) does: on a FIFO without `.nonBlocking`, on some devices.
  package static func open(
    _ path: String, _ options: OpenOptions, permissions: UInt32 = 0o600
  ) throws(Errno) -> FileDescriptor {
    let flags = options.rawValue | O_CLOEXEC
    return FileDescriptor(
      adopting: try systemCall(path: path) { Glibc.open($0, flags, permissions) })
  }

  /// A file in memory alone that holds `bytes`, open at its start: memfd_create(2), close-on-exec.
  ///
  /// - Parameter name: what /proc calls it.
  package static func inMemory(
    _ name: String, holding bytes: [UInt8]
  ) throws(Errno) -> FileDescriptor {
    let file = FileDescriptor(
      adopting: try systemCall(path: name) { memfd_create($0, UInt32(clinux_MFD_CLOEXEC)) })
    try file.writeAll(bytes)
    _ = try systemCall { lseek(file.raw, 0, SEEK_SET) }
    return file
  }
}

extension FileDescriptor {
  /// One read(2) of at most `count` bytes; empty at the end of the file.
  package func read(upTo count: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(Errno) {
        initialized = try systemCall { Glibc.read(raw, buffer.baseAddress, buffer.count) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// One write(2); the count that was taken, which may be less than all.
  package func write(_ bytes: some Collection<UInt8>) throws(Errno) -> Int {
    try writeOnce(to: raw, ContiguousArray(bytes)[...])
  }

  /// Writes until all is written. `.wouldBlock` from a non-blocking descriptor comes through,
  /// and how much had been taken by then is not known.
  package func writeAll(_ bytes: [UInt8]) throws(Errno) {
    var rest = ContiguousArray(bytes)[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(try writeOnce(to: raw, rest))
    }
  }

  /// Sets O_NONBLOCK on what this is open on: fcntl(2), F_SETFL.
  package func setNonBlocking() throws(Errno) {
    let flags = try systemCall { fcntl(raw, F_GETFL) }
    _ = try systemCall { fcntl(raw, F_SETFL, flags | O_NONBLOCK) }
  }

  /// fsync(2): returns once the file is on the disk. Blocks for as long as the disk takes.
  package func synchronise() throws(Errno) {
    _ = try systemCall { fsync(raw) }
  }

  /// fstat(2).
  package func status() throws(Errno) -> FileStatus {
    var status = stat()
    _ = try systemCall { fstat(raw, &status) }
    return FileStatus(status)
  }
}

func writeOnce(
  to raw: Int32, _ bytes: ArraySlice<UInt8>, isOurs: Bool = true
) throws(Errno) -> Int {
  try systemCall(isOurs: isOurs) {
    bytes.withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) }
  }
}
