// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

@Suite("FileDescriptor")
struct FileDescriptorTests {
  @Test("is closed when it goes out of scope")
  func closing() throws {
    var pipe = try Pipe()
    let written = try pipe.writer?.write(Array("x".utf8))
    #expect(written == 1)
    pipe.writer = nil
    #expect(try text(pipe) == "x")
    // The end of the file: no writer is open any more.
    #expect(try text(pipe) == "")
  }

  @Test("stays open when it is released, for the caller to close")
  func releasing() throws {
    var pipe = try Pipe()
    let raw = pipe.writer.take()?.release() ?? -1
    #expect(write(raw, "x", 1) == 1)
    #expect(try text(pipe) == "x")
    #expect(close(raw) == 0)
    #expect(try text(pipe) == "")
  }

  @Test("no descriptor is left to a child")
  func closeOnExec() throws {
    let directory = try TemporaryDirectory()
    let file = try FileDescriptor.open(directory.path("new"), [.writeOnly, .create, .exclusive])
    let pipe = try Pipe()
    for raw in [file.raw, pipe.readEnd, pipe.writeEnd] {
      #expect(fcntl(raw, F_GETFD) == FD_CLOEXEC)
    }
  }

  @Test("opening says what the kernel says")
  func opening() throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "there")
    #expect(throws: Errno.noSuchFileOrDirectory) {
      _ = try FileDescriptor.open(directory.path("gone"), .readOnly)
    }
    #expect(throws: Errno.fileExists) {
      _ = try FileDescriptor.open(directory.path("there"), [.writeOnly, .create, .exclusive])
    }
    #expect(throws: Errno.notDirectory) {
      _ = try FileDescriptor.open(directory.path("there"), [.readOnly, .directory])
    }
  }
}
