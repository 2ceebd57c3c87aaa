// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import System
import TestSupport
import Testing

@MainActor
@Suite("Turning")
struct TurnTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop()
  }

  @Test("a turn with nothing to do ends at its limit")
  func limit() throws {
    let before = EventLoop.now
    try loop.turn(atMost: .microseconds(1500))
    #expect(EventLoop.now - before >= .microseconds(1500))
    try loop.turn(atMost: .zero)
    try loop.turn(atMost: .seconds(-1))
  }

  @Test("work for the turn's end comes after all its events, once")
  func endOfTurn() throws {
    var log: [String] = []
    let first = try Pipe()
    let second = try Pipe()
    var watches: [DescriptorWatch] = []
    for (name, end) in [("a", first.readEnd), ("b", second.readEnd)] {
      watches.append(
        try loop.watch(end, for: .readable) { _ in
          log.append(name)
          loop.atEndOfTurn { log.append("end") }
        })
    }
    #expect(write(first.writeEnd, "x", 1) == 1)
    #expect(write(second.writeEnd, "x", 1) == 1)
    try loop.turn(atMost: patience)
    #expect(Set(log.prefix(2)) == ["a", "b"])
    #expect(log.suffix(2) == ["end", "end"])
    withExtendedLifetime(watches) {}
  }

  @Test("work that waits keeps the loop from waiting")
  func pendingWork() throws {
    var ran = 0
    loop.atEndOfTurn { ran += 1 }
    try loop.turn(atMost: nil)
    #expect(ran == 1)
  }

  @Test("work that puts itself off again lets events through")
  func fairness() throws {
    let pipe = try Pipe()
    var rounds = 0
    var seen = false
    func again() {
      rounds += 1
      if !seen { loop.atEndOfTurn { again() } }
    }
    loop.atEndOfTurn { again() }
    try loop.turn(atMost: nil)
    #expect(write(pipe.writeEnd, "x", 1) == 1)
    let watch = try loop.watch(pipe.readEnd, for: .readable) { _ in seen = true }
    try loop.turn(atMost: nil)
    try loop.turn(atMost: nil)
    #expect(seen)
    #expect(rounds >= 2)
    withExtendedLifetime(watch) {}
  }

  @Test("stop ends a run after the turn is done, also when it comes first")
  func stopping() throws {
    var log: [String] = []
    let timer = loop.after(.zero) {
      loop.stop()
      loop.atEndOfTurn { log.append("end") }
    }
    try loop.run()
    #expect(log == ["end"])
    loop.stop()
    try loop.run()
    // And a stop that was used up is used up.
    let second = loop.after(.milliseconds(1)) {
      log.append("second")
      loop.stop()
    }
    try loop.run()
    #expect(log == ["end", "second"])
    withExtendedLifetime((timer, second)) {}
  }

  @Test("a lull is told of once, and again after the next event")
  func lulls() throws {
    var lulls = 0
    var events = 0
    var next: Timer?
    let deadline = loop.after(patience) { loop.stop() }
    // Told more than once in a lull, the first timer would give way to the next one for ever.
    try loop.run(settlingAfter: .milliseconds(2)) {
      lulls += 1
      next = loop.after(.milliseconds(20)) {
        events += 1
        if events == 2 { loop.stop() }
      }
    }
    #expect(events == 2)
    #expect(lulls == 2)
    withExtendedLifetime((next, deadline)) {}
  }

  @Test("a lull is not ended by an event that is to be overlooked")
  func lullWithoutEvents() throws {
    var lulls = 0
    var overlooked = 0
    var next: Timer?
    func overlookMore() {
      next = loop.after(.milliseconds(5)) {
        loop.overlookEvent()
        overlooked += 1
        if overlooked == 4 { loop.stop() } else { overlookMore() }
      }
    }
    overlookMore()
    try loop.run(settlingAfter: .milliseconds(1)) { lulls += 1 }
    #expect(overlooked == 4)
    #expect(lulls == 1)
    withExtendedLifetime(next) {}
  }

  @Test("a lull that is told of beside an event to be overlooked is not the last")
  func lullBesideOverlooked() throws {
    let start = EventLoop.now
    var lulls = 0
    var timers: [Timer] = []
    let deadline = loop.after(patience) { loop.stop() }
    // Keeps the loop until the lull and the next one are due, which then come in one turn.
    timers.append(
      loop.after(.milliseconds(5)) {
        loop.overlookEvent()
        while EventLoop.now < start + .milliseconds(40) {}
      })
    timers.append(loop.after(.milliseconds(30)) { loop.overlookEvent() })
    try loop.run(settlingAfter: .milliseconds(20)) {
      lulls += 1
      if lulls == 2 { return loop.stop() }
      timers.append(loop.after(.milliseconds(20)) {})
    }
    #expect(lulls == 2)
    #expect(deadline.isActive)
    withExtendedLifetime(timers) {}
  }

  @Test("a lull comes after events, however soon after the start they are")
  func lullAfterEvents() throws {
    var log: [String] = []
    let event = loop.after(.milliseconds(1)) { log.append("event") }
    let deadline = loop.after(patience) { loop.stop() }
    try loop.run(settlingAfter: .milliseconds(20)) {
      log.append("lull")
      loop.stop()
    }
    #expect(log == ["event", "lull"])
    withExtendedLifetime((event, deadline)) {}
  }

  @Test("a loop goes with its last user, and its descriptors with it")
  func lifetime() throws {
    weak var gone: EventLoop?
    do {
      let loop = try EventLoop()
      gone = loop
      let directory = try TemporaryDirectory()
      let watches: [AnyObject] = [
        loop.after(.seconds(600)) {},
        loop.at(realtimeMicroseconds: .max) { _ in },
        try loop.directory(directory.path) { _ in },
      ]
      try loop.turn(atMost: .zero)
      withExtendedLifetime(watches) {}
    }
    #expect(gone == nil)
  }

  @Test("a handler that turns the loop is a bug and traps")
  func nesting() async {
    await #expect(processExitsWith: .failure) { @MainActor in
      let loop = try EventLoop()
      loop.atEndOfTurn { try? loop.turn(atMost: .zero) }
      try loop.turn(atMost: .zero)
    }
  }
}
