// SPDX-License-Identifier: MIT

import Glibc

extension Files {
  /// The bytes of a regular file of at most `limit` bytes: on a disk, in procfs or in sysfs.
  ///
  /// Never blocks on what it was pointed at: anything but a regular file is refused before it is
  /// opened (opening some devices already acts), and once more on the opened descriptor.
  package static func read(_ path: String, limit: Int) throws(ReadError) -> [UInt8] {
    try requireRegular(path)
    let file = try ReadError.translating { () throws(Errno) in
      try FileDescriptor.open(path, [.readOnly, .nonBlocking, .noControllingTerminal])
    }
    let status = try ReadError.translating { () throws(Errno) in try file.status() }
    guard status.kind == .regular else { throw .notRegular(status.kind) }
    return try file.readAll(limit: limit, expecting: status.size)
  }

  /// Writes into a regular file that is there, in place, as `echo` does: for sysfs, procfs and
  /// the like, where a rename can't be. What was in it is cut off first. A small value reaches
  /// the kernel in one write(2). May block for as long as the driver behind a sysfs file takes.
  package static func write(_ bytes: [UInt8], into path: String) throws(ReadError) {
    try requireRegular(path)
    try ReadError.translating { () throws(Errno) in
      let file = try FileDescriptor.open(
        path, [.writeOnly, .truncate, .nonBlocking, .noControllingTerminal])
      try file.writeAll(bytes)
    }
  }

  private static func requireRegular(_ path: String) throws(ReadError) {
    let kind = try ReadError.translating { () throws(Errno) in try status(path).kind }
    guard kind == .regular else { throw .notRegular(kind) }
  }
}

extension FileDescriptor {
  /// All that is left to read, at most `limit` bytes. The size is a hint: procfs says 0 and sysfs
  /// 4096, whatever they hold.
  func readAll(limit: Int, expecting size: Int) throws(ReadError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = min(max(size, 4095), max(limit, 0)) + 1
    while true {
      let part = try ReadError.translating { () throws(Errno) in try read(upTo: chunk) }
      if part.isEmpty { return bytes }
      bytes += part
      guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
      chunk = min(max(bytes.count, 4096), limit - bytes.count + 1)
    }
  }
}

extension ReadError {
  static func translating<Value: ~Copyable>(
    _ body: () throws(Errno) -> Value
  ) throws(ReadError) -> Value {
    do throws(Errno) {
      return try body()
    } catch .noSuchFileOrDirectory, .notDirectory {
      throw .missing
    } catch {
      throw .failed(error)
    }
  }
}
