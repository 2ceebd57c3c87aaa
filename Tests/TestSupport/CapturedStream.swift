// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import System

/// A pipe that a program writes into, and all that came out of it.
final class CapturedStream {
  private var reader: FileDescriptor?
  private var writer: FileDescriptor?
  private var bytes: [UInt8] = []
  /// Where the next line begins that nobody waited for yet.
  private var cursor = 0

  init() throws(Errno) {
    var pipe = try Pipe()
    reader = pipe.reader.take()
    writer = pipe.writer.take()
    // Only our end: a program must find the pipe blocking, as it finds a shell's.
    if let raw = reader?.raw {
      _ = try systemCall { fcntl(raw, F_SETFL, O_NONBLOCK) }
      // Room for a program that a test does not listen to. Refused at the user's limit.
      _ = fcntl(raw, Int32(clinux_F_SETPIPE_SZ), 256 * 1024)
    }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Nil once the program's end is closed, when there is nothing to wait for.
  var readerRaw: Int32? { reader?.raw }

  /// The end for the program, until `closeWriter()`.
  var writerRaw: Int32 { writer?.raw ?? -1 }

  func closeWriter() { writer = nil }

  func closeReader() { reader = nil }

  func readAvailable() {
    while let part = try? reader?.read(upTo: 65536) {
      if part.isEmpty { return closeReader() }
      bytes += part
    }
  }

  /// The next whole line; at the end of the stream also one that lacks its newline.
  func nextLine() -> String? {
    let rest = bytes[cursor...]
    if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      cursor = end + 1
      return String(decoding: rest[..<end], as: UTF8.self)
    }
    guard reader == nil, !rest.isEmpty else { return nil }
    cursor = bytes.count
    return String(decoding: rest, as: UTF8.self)
  }
}
