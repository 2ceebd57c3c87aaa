// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
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

  @Test("a call that blocks holds nobody up, and its result is told once")
  func blocking() throws {
    let pipe = try Pipe()
    let end = pipe.readEnd
    var results: [Int32] = []
    var ticks = 0
    try loop.onThread(
      {
        var byte: UInt8 = 0
        return read(end, &byte, 1) == 1 ? Int32(byte) : -1
      },
      { results.append($0) })
    let timer = loop.after(.milliseconds(1)) { ticks += 1 }
    try loop.turn { ticks == 1 }
    #expect(results == [])
    var byte: UInt8 = 7
    #expect(write(pipe.writeEnd, &byte, 1) == 1)
    try loop.turn { !results.isEmpty }
    try loop.settle()
    #expect(results == [7])
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

  @Test("a call that outlives its loop is told to nobody, and its thread ends")
  func outlives() throws {
    var pipe = try Pipe()
    let end = pipe.readEnd
    var told = false
    do {
      let loop = try EventLoop()
      try loop.onThread(
        {
          var byte: UInt8 = 0
          return Int32(read(end, &byte, 1))
        },
        { _ in told = true })
    }
    // The thread reads the end of the pipe.
    pipe.writer = nil
    try self.loop.settle()
    #expect(!told)
  }
}
