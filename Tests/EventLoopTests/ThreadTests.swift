// SPDX-License-Identifier: MIT

import EventLoop
import System
import TestSupport
import Testing

@MainActor
@Suite("Calls on threads of their own")
struct ThreadTests {
  private let loop: EventLoop

  init() throws {
    loop = try EventLoop()
  }

  /// An end of a pipe that a call owns: its number stays its own until the thread is over.
  private final class End: Sendable {
    private let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor?) throws {
      guard let descriptor else { throw TestFailure("the end was taken already") }
      self.descriptor = descriptor
    }

    /// Blocks until a byte comes; -1 at the end.
    func readByte() -> Int32 {
      (try? descriptor.read(upTo: 1))?.first.map(Int32.init) ?? -1
    }
  }

  @Test("a call that blocks holds nobody up, and its result is told once")
  func blocking() throws {
    var pipe = try Pipe()
    let reader = try End(pipe.reader.take())
    var results: [Int32] = []
    var ticks = 0
    try loop.onThread({ reader.readByte() }, { results.append($0) })
    let timer = loop.after(.milliseconds(1)) { ticks += 1 }
    try loop.turn { ticks == 1 }
    #expect(results == [])
    var writer = pipe.writer.take()
    #expect(try writer?.write([7]) == 1)
    try loop.turn { !results.isEmpty }
    try loop.settle()
    #expect(results == [7])
    writer = nil
    withExtendedLifetime(timer) {}
  }

  @Test("many calls are told each with its own result, whatever its sign")
  func many() throws {
    var results: Set<Int32> = []
    for number in Int32(-20)..<20 {
      try loop.onThread({ number }, { results.insert($0) })
    }
    try loop.turn { results.count == 40 }
    #expect(results == Set(-20..<20))
  }

  @Test("a call that outlives its loop is told to nobody, its thread ends, and so does its answer")
  func outlives() throws {
    var input = try Pipe()
    var life = try Pipe()
    var told = false
    do {
      let (reader, held) = (try End(input.reader.take()), try End(life.writer.take()))
      let loop = try EventLoop()
      try loop.onThread(
        {
          _ = reader.readByte()
          return held
        }, { _ in told = true })
    }
    var isOver = false
    let watch = try loop.watch(life.readEnd, for: .hangup) { _ in isOver = true }
    try loop.settle()
    #expect(!isOver)
    input.writer = nil
    try loop.turn { isOver }
    #expect(!told)
    watch.cancel()
    life.reader = nil
  }
}
