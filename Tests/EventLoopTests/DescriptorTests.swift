// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import System
import TestSupport
import Testing

@MainActor
@Suite("Watching descriptors")
struct DescriptorTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop()
  }

  private func fill(_ end: Int32, _ text: String = "x") {
    #expect(write(end, text, text.utf8.count) == text.utf8.count)
  }

  /// Waits until nobody has the other end: a child that another test's thread is just starting may
  /// have it for longer than this process.
  private func waitForHangup(_ end: Int32) throws {
    var state = pollfd(fd: end, events: 0, revents: 0)
    let limit = Int32(patience / .milliseconds(1))
    try #require(try systemCall { poll(&state, 1, limit) } == 1)
  }

  @Test("a readable descriptor is told of until it is read")
  func readable() throws {
    let pipe = try Pipe()
    var calls: [Interest] = []
    let watch = try loop.watch(pipe.readEnd, for: .readable) { calls.append($0) }
    try loop.settle()
    #expect(calls.isEmpty)
    fill(pipe.writeEnd)
    try loop.turn { calls.count == 2 }
    #expect(calls == [.readable, .readable])
    var byte: UInt8 = 0
    #expect(read(pipe.readEnd, &byte, 1) == 1)
    try loop.settle()
    #expect(calls.count == 2)
    watch.cancel()
  }

  @Test("the other end's leaving is told unasked")
  func hangup() throws {
    var pipe = try Pipe()
    var calls: [Interest] = []
    let reading = try loop.watch(pipe.readEnd, for: .readable) { calls.append($0) }
    pipe.writer = nil
    try loop.turn { !calls.isEmpty }
    #expect(calls.first == .hangup)
    reading.cancel()

    var other = try Pipe()
    calls = []
    let writing = try loop.watch(other.writeEnd, for: .hangup) { calls.append($0) }
    try loop.settle()
    #expect(calls.isEmpty)
    other.reader = nil
    try loop.turn { !calls.isEmpty }
    #expect(calls.first == .error)
    writing.cancel()
  }

  @Test("an empty interest is silent, hang-ups included, and can be taken back")
  func silence() throws {
    var pipe = try Pipe()
    var calls: [Interest] = []
    let watch = try loop.watch(pipe.readEnd, for: []) { calls.append($0) }
    fill(pipe.writeEnd)
    try loop.settle()
    watch.update(.readable)
    try loop.turn { calls.count == 1 }
    watch.update([])
    pipe.writer = nil
    try waitForHangup(pipe.readEnd)
    try loop.settle()
    #expect(calls == [.readable])
    // Nothing wakes it: a loop that span here would not reach the timer's end of the wait.
    var fired = false
    let timer = loop.after(.milliseconds(20)) { fired = true }
    var turns = 0
    while !fired && turns < 10 {
      try loop.turn(atMost: patience)
      turns += 1
    }
    #expect(fired)
    #expect(turns <= 2)
    watch.update(.readable)
    try loop.turn { calls.count == 2 }
    #expect(calls.last == [.readable, .hangup])
    withExtendedLifetime((watch, timer)) {}
  }

  @Test("both directions of a socket are one watch, and each can be left out")
  func directions() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    var calls: [Interest] = []
    let watch = try loop.watch(ends[0], for: [.readable, .writable]) { calls.append($0) }
    try loop.turn { calls.count == 1 }
    fill(ends[1])
    try loop.turn { calls.count == 2 }
    watch.update(.readable)
    try loop.turn { calls.count == 3 }
    #expect(calls == [.writable, [.readable, .writable], .readable])
    #expect(throws: Errno.fileExists) { try loop.watch(ends[0], for: .readable) { _ in } }
    watch.cancel()
    let second = try loop.watch(ends[0], for: .writable) { calls.append($0) }
    try loop.turn { calls.count == 4 }
    #expect(calls.last == .writable)
    withExtendedLifetime(second) {}
  }

  @Test("a change of a kernel file is told as priority")
  func priority() throws {
    // A terminal in packet mode tells its master of a flush in the same way as sysfs of a change.
    var (master, slave): (Int32, Int32) = (-1, -1)
    try #require(openpty(&master, &slave, nil, nil, nil) == 0)
    defer { for end in [master, slave] { close(end) } }
    var on: Int32 = 1
    try #require(ioctl(master, UInt(TIOCPKT), &on) == 0)
    var calls: [Interest] = []
    let watch = try loop.watch(master, for: .priority) { calls.append($0) }
    try loop.settle()
    #expect(calls.isEmpty)
    try #require(tcflush(slave, TCIFLUSH) == 0)
    try loop.turn { !calls.isEmpty }
    #expect(calls.first?.contains(.priority) == true)
    watch.cancel()
  }

  @Test("what is always ready can't be watched")
  func regularFile() throws {
    let directory = try TemporaryDirectory()
    let file = try FileDescriptor.open(directory.path("file"), [.writeOnly, .create])
    let raw = file.raw
    #expect(throws: Errno.notPermitted) { try loop.watch(raw, for: .readable) { _ in } }
  }

  @Test("a watch that an earlier handler of the batch cancelled is not told")
  func staleEvent() throws {
    let first = try Pipe()
    let second = try Pipe()
    fill(first.writeEnd)
    fill(second.writeEnd)
    var watches: [DescriptorWatch] = []
    var calls = 0
    for end in [first.readEnd, second.readEnd] {
      watches.append(
        try loop.watch(end, for: .readable) { _ in
          calls += 1
          watches = []
        })
    }
    try loop.turn { calls > 0 }
    try loop.settle()
    #expect(calls == 1)
  }

  @Test("an event of an earlier watch does not reach a new one of the same descriptor")
  func reusedDescriptor() throws {
    let first = try Pipe()
    let second = try Pipe()
    fill(first.writeEnd)
    fill(second.writeEnd)
    let ends = [first.readEnd, second.readEnd]
    var watches: [Int32: DescriptorWatch] = [:]
    var log: [String] = []
    for end in ends {
      watches[end] = try loop.watch(end, for: .readable) { _ in
        log.append("old")
        for end in ends {
          watches[end]?.cancel()
          watches[end] = try? loop.watch(end, for: .readable) { _ in
            log.append("new")
            watches[end]?.cancel()
          }
        }
      }
    }
    try loop.turn(atMost: patience)
    #expect(log == ["old"])
    try loop.turn(atMost: patience)
    #expect(log == ["old", "new", "new"])
  }

  @Test("an interest that an earlier handler took back is left out")
  func staleInterest() throws {
    let first = try Pipe()
    let second = try Pipe()
    fill(first.writeEnd)
    fill(second.writeEnd)
    var watches: [DescriptorWatch] = []
    var calls = 0
    for end in [first.readEnd, second.readEnd] {
      watches.append(
        try loop.watch(end, for: .readable) { _ in
          calls += 1
          for watch in watches { watch.update([]) }
        })
    }
    try loop.turn { calls > 0 }
    try loop.settle()
    #expect(calls == 1)
  }

  @Test("dropping a watch ends it, and either way the handler is let go")
  func lifetime() throws {
    final class Token {}
    let pipe = try Pipe()
    fill(pipe.writeEnd)
    var calls = 0
    weak var dropped: Token?
    do {
      let token = Token()
      dropped = token
      _ = try loop.watch(pipe.readEnd, for: .readable) { _ in
        calls += 1
        withExtendedLifetime(token) {}
      }
    }
    #expect(dropped == nil)
    weak var cancelled: Token?
    let watch: DescriptorWatch
    do {
      let token = Token()
      cancelled = token
      watch = try loop.watch(pipe.readEnd, for: .readable) { _ in
        calls += 1
        withExtendedLifetime(token) {}
      }
    }
    #expect(cancelled != nil)
    watch.cancel()
    watch.cancel()
    watch.update(.readable)
    #expect(cancelled == nil)
    try loop.settle()
    #expect(calls == 0)
  }

  @Test("a watch may be cancelled after its descriptor was closed")
  func closedFirst() throws {
    var pipe = try Pipe()
    let watch = try loop.watch(pipe.readEnd, for: .readable) { _ in }
    pipe.reader = nil
    watch.cancel()
    try loop.settle()
  }

  @Test("more descriptors than one wait takes are all served")
  func many() throws {
    var ends: [Int32] = []
    var watches: [DescriptorWatch] = []
    var served: Set<Int32> = []
    defer { for end in ends { close(end) } }
    for _ in 0..<150 {
      var pipe = try Pipe()
      fill(pipe.writeEnd)
      let end = pipe.reader.take()?.release() ?? -1
      ends.append(end)
      watches.append(try loop.watch(end, for: .readable) { _ in served.insert(end) })
    }
    try loop.turn { served.count == 150 }
    withExtendedLifetime(watches) {}
  }
}
