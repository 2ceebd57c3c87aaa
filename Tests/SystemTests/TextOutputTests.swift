// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

@Suite("TextOutput")
struct TextOutputTests {
  @Test("writes a line with its newline")
  func line() throws {
    let pipe = try Pipe()
    let output = TextOutput(descriptor: pipe.writeEnd)
    try output.writeLine("ñ")
    try output.write("more")
    #expect(try text(pipe) == "ñ\nmore")
    #expect(!output.isTerminal)
  }

  @Test("a reader that is gone is an error of its own")
  func closed() throws {
    signal(SIGPIPE, SIG_IGN)
    var pipe = try Pipe()
    pipe.reader = nil
    let output = TextOutput(descriptor: pipe.writeEnd)
    // Again and again: a child that another test is just starting has the reader for a moment.
    #expect(throws: OutputError.closed) { while true { try output.writeLine("x") } }
  }

  @Test("a full disk is told")
  func full() throws {
    let device = try FileDescriptor.open("/dev/full", .writeOnly)
    let output = TextOutput(descriptor: device.raw)
    #expect(throws: OutputError.failed(.noSpace)) { try output.write("x") }
    #expect("\(OutputError.failed(.noSpace))" == "No space left on device")
  }

  @Test("a descriptor that whoever started us left closed is told, and no bug of ours")
  func notOpen() throws {
    // Of an open one too, where that is not for writing.
    let unwritable = try FileDescriptor.open("/dev/null", .readOnly)
    for descriptor in [unwritable.raw, Int32.max] {
      let output = TextOutput(descriptor: descriptor)
      #expect(throws: OutputError.failed(.badFileDescriptor)) { try output.write("x") }
      #expect(throws: OutputError.failed(.badFileDescriptor)) {
        try output.writeWithoutWaiting("x")
      }
    }
  }

  @Test("waits for a slow reader, also on a descriptor that someone left non-blocking")
  func slowReader() throws {
    var input = try Pipe(nonBlocking: true)
    let result = try Pipe()
    // The reader needs a blocking end, as any program does.
    _ = fcntl(input.readEnd, F_SETFL, 0)
    let child = try ChildProcess.spawn(
      arguments: ["wc", "-c"], input: .descriptor(input.readEnd),
      output: .descriptor(result.writeEnd))
    input.reader = nil
    let output = TextOutput(descriptor: input.writeEnd)
    try output.write(String(repeating: "x", count: 1_000_000))
    input.writer = nil
    #expect(try child.wait() == .exited(0))
    #expect(try text(result) == "1000000\n")
  }

  @Test("does not wait for a reader where it is not to", arguments: [false, true])
  func noWaiting(_ isNonBlocking: Bool) throws {
    let pipe = try Pipe(nonBlocking: isNonBlocking)
    let output = TextOutput(descriptor: pipe.writeEnd)
    try output.writeWithoutWaiting("ñ\n")
    let long = String(repeating: "x", count: 10_000_000)
    #expect(throws: OutputError.failed(.wouldBlock)) { try output.writeWithoutWaiting(long) }
    #expect(throws: OutputError.failed(.wouldBlock)) { try output.writeWithoutWaiting("x") }
  }

  @Test("the environment is read as it was given")
  func environment() throws {
    #expect(Environment.value("PATH") == Environment.all["PATH"])
    #expect(Environment.value("PATH")?.isEmpty == false)
    #expect(Environment.value("TOGGLED_NO_SUCH_VARIABLE") == nil)
  }
}
