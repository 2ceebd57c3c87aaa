// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

@testable import EventLoop

@MainActor
@Suite("Timers")
struct TimerTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop()
  }

  /// Timers of the clock that nobody sets, for times: delays would count from whenever each timer
  /// is made.
  private func awakeTimers() -> TimerQueue {
    let queue = TimerQueue(clock: .awake, loop: loop)
    loop.timerQueues.append(queue)
    return queue
  }

  @Test("fire in the order of their deadlines, and not before them")
  func order() throws {
    var fired: [Int64] = []
    let queue = awakeTimers()
    let start = Clock.awake.nanoseconds
    let times = [30, 10, 20, 0].map { start + $0 * 1_000_000 }
    let timers = times.map { time in
      queue.add(deadline: time) { _ in
        #expect(Clock.awake.nanoseconds >= time)
        fired.append(time)
      }
    }
    try loop.turn { fired.count == times.count }
    #expect(fired == times.sorted())
    #expect(timers.allSatisfy { !$0.isActive })
  }

  @Test("fire after a delay, and not before it is over", arguments: [-5, 0, 1, 20])
  func delay(milliseconds: Int) throws {
    var passed: Duration?
    let start = EventLoop.now
    let timer = loop.after(.milliseconds(milliseconds)) { passed = EventLoop.now - start }
    try loop.turn { passed != nil }
    #expect(try #require(passed) >= .milliseconds(milliseconds))
    #expect(!timer.isActive)
  }

  @Test("of the same time fire in the order they were made")
  func ties() throws {
    var fired: [Int] = []
    let queue = awakeTimers()
    let time = Clock.awake.nanoseconds + 2_000_000
    let timers = (0..<20).map { number in
      queue.add(deadline: time) { event in
        #expect(event == .due)
        fired.append(number)
      }
    }
    try loop.turn { fired.count == 20 }
    #expect(fired == Array(0..<20))
    withExtendedLifetime(timers) {}
  }

  @Test("a time of day is never early")
  func realtime() throws {
    var seen: UInt64 = 0
    let time = EventLoop.realtimeMicroseconds + 5000
    let timer = loop.at(realtimeMicroseconds: time) { _ in seen = EventLoop.realtimeMicroseconds }
    try loop.turn { seen > 0 }
    #expect(seen >= time)
    var past = false
    let late = loop.at(realtimeMicroseconds: 0) { _ in past = true }
    try loop.turn { past }
    withExtendedLifetime((timer, late)) {}
  }

  @Test("a cancelled or dropped timer does not fire, not even one that was due")
  func cancelling() throws {
    var fired: [String] = []
    var others: [Timer] = []
    let first = loop.after(.zero) {
      fired.append("first")
      others = []
    }
    others = [loop.after(.zero) { fired.append("dropped") }]
    let cancelled = loop.after(.zero) { fired.append("cancelled") }
    cancelled.cancel()
    cancelled.cancel()
    var last = false
    let end = loop.after(.milliseconds(2)) { last = true }
    try loop.turn { last }
    #expect(fired == ["first"])
    #expect(others.isEmpty)
    withExtendedLifetime((first, end)) {}
  }

  @Test("a timer that a handler makes for right now waits for the next turn")
  func fromHandler() throws {
    var rounds = 0
    var timer: Timer?
    func again() {
      rounds += 1
      timer = loop.after(.zero) { again() }
    }
    timer = loop.after(.zero) { again() }
    try loop.turn(atMost: patience)
    #expect(rounds == 1)
    try loop.turn(atMost: patience)
    #expect(rounds == 2)
    timer?.cancel()
  }

  @Test("a delay without end is none, and hurts nobody")
  func farAway() throws {
    var fired = false
    let far = [
      loop.after(.seconds(Int64.max)) { fired = true },
      loop.after(.nanoseconds(Int64.max)) { fired = true },
      loop.at(realtimeMicroseconds: .max) { _ in fired = true },
    ]
    try loop.settle()
    #expect(!fired)
    #expect(far.allSatisfy { $0.isActive })
  }

  @Test("many that come and go in any order fire in theirs")
  func many() throws {
    var random = SplitMix(state: 7)
    let queue = awakeTimers()
    let base = Clock.awake.nanoseconds
    var timers: [Int: (time: Int64, timer: Timer)] = [:]
    var fired: [Int64] = []
    var cancelled = 0
    for number in 0..<2000 {
      let time = base - Int64.random(in: 0..<1000, using: &random)
      timers[number] = (time, queue.add(deadline: time) { _ in fired.append(time) })
      if number % 3 == 0, let victim = timers.keys.sorted().randomElement(using: &random) {
        timers[victim] = nil
        cancelled += 1
      }
    }
    try loop.turn { fired.count == timers.count }
    #expect(fired == timers.values.map(\.time).sorted())
    #expect(cancelled == 667 && fired.count == 2000 - cancelled)
  }

  @Test("a delay stands still while the machine sleeps, and a time of day does not")
  func clocks() throws {
    let delay = loop.after(.seconds(600)) {}
    let day = loop.at(realtimeMicroseconds: .max) { _ in }
    try loop.turn(atMost: .zero)
    #expect(try timerClocks().sorted() == [CLOCK_REALTIME, CLOCK_MONOTONIC])
    withExtendedLifetime((delay, day)) {}
  }

  /// The clock of each timerfd that the loop waits for, as the kernel tells.
  private func timerClocks() throws -> [clockid_t] {
    func fields(_ descriptor: some StringProtocol) throws -> [String] {
      let bytes = try Files.read("/proc/self/fdinfo/\(descriptor)", limit: 1 << 16)
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
    return try fields("\(loop.epoll.raw)").flatMap { line -> [clockid_t] in
      let words = line.split(separator: " ")
      guard words.first == "tfd:", words.count > 1 else { return [] }
      return try fields(words[1]).compactMap {
        $0.hasPrefix("clockid: ") ? clockid_t($0.dropFirst(9)) : nil
      }
    }
  }

  @Test("how long the machine slept does not grow while it is awake")
  func timeAsleep() throws {
    let before = EventLoop.timeAsleep
    try loop.turn(atMost: .milliseconds(20))
    let after = EventLoop.timeAsleep
    #expect(max(before, after) - min(before, after) < .milliseconds(10))
  }

  @Test("a clock that is set is told to every timer of the day, which stays")
  func clockChange() throws {
    var log: [String] = []
    var replaced: Timer?
    let kept = loop.at(realtimeMicroseconds: .max) { log.append("kept \($0)") }
    replaced = loop.at(realtimeMicroseconds: .max) { event in
      log.append("replaced \(event)")
      replaced = loop.at(realtimeMicroseconds: 0) { log.append("new \($0)") }
    }
    let other = loop.after(.seconds(600)) { log.append("boot") }
    let queue = try #require(loop.timerQueues.first { $0.clock == .real })
    queue.clockChanged()
    #expect(log == ["kept clockChanged", "replaced clockChanged"])
    #expect(kept.isActive)
    try loop.turn { log.count == 3 }
    #expect(log.last == "new due")
    withExtendedLifetime((other, replaced)) {}
  }

  @Test("a spent timer lets go of its handler")
  func lifetime() throws {
    final class Token {}
    weak var gone: Token?
    let timer: Timer
    do {
      let token = Token()
      gone = token
      timer = loop.after(.zero) { withExtendedLifetime(token) {} }
    }
    try loop.turn { !timer.isActive }
    #expect(gone == nil)
  }

  @Test("durations become nanoseconds, the nearest that fit")
  func nanoseconds() {
    let table: [(Duration, Int64)] = [
      (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(-3), -3_000_000),
      (.seconds(Int64.max), .max), (.seconds(Int64.min), .min), (.seconds(2), 2_000_000_000),
    ]
    for (duration, nanoseconds) in table { #expect(duration.nanoseconds == nanoseconds) }
  }
}

/// The same numbers in each run.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
