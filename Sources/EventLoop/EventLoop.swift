// SPDX-License-Identifier: MIT

// EventLoop is the one place where the process waits: epoll(7) over descriptors, timers on two
// clocks, signals, children, paths and calls made on another thread.
//
// Invariants:
// - One thread. Everything is isolated to the main actor, which proves it. A call that may block
//   is handed to `onThread`, and nothing but its result comes back.
// - Whoever gets a watch or a timer owns it: dropping it cancels it. The loop owns the handlers
//   and lets go of them on cancel, so a handler may hold its owner weakly or not at all.
// - Nothing is told after its cancel, not even what the kernel had reported in the same batch:
//   each event carries its registration's number.
// - A handler may do anything to the loop but turn it. Handlers must not block.
// - A turn is: work left over, one wait, the events, the work for the turn's end. With nothing
//   to do the loop makes no system call at all.

import CLinux
import Glibc
package import System

/// A single-threaded event loop.
@MainActor
package final class EventLoop {
  let epoll: FileDescriptor
  private var registrations: [Registration?] = []
  private var nextIdentifier: UInt32 = 0
  private var events = [epoll_event](repeating: epoll_event(), count: 64)
  private var endOfTurnWork: [() -> Void] = []
  private var isTurning = false
  private var isStopping = false
  private var isOverlooked = false
  private var isNoted = false

  /// One for each clock that was asked for.
  var timerQueues: [TimerQueue] = []
  var inotify: Inotify?
  /// Children that were handed over, by process id, until they are reaped.
  var children: [Int32: Child] = [:]

  /// Makes a loop that watches nothing yet.
  package init() throws(Errno) {
    epoll = FileDescriptor(adopting: try systemCall { epoll_create1(Int32(EPOLL_CLOEXEC)) })
  }

  /// Turns until `stop()`. A stop that came before makes this return after one turn that does not
  /// wait.
  ///
  /// - Parameters:
  ///   - lull: how long nothing has to happen before `settle`, at least; nil for never. At most
  ///     twice as long passes.
  ///   - settle: called once in each lull.
  package func run(
    settlingAfter lull: Duration? = nil, _ settle: @escaping () -> Void = {}
  ) throws(Errno) {
    defer { isStopping = false }
    let lull = lull.map { Lull(self, $0, settle) }
    repeat {
      if try turnOnce(atMost: isStopping ? .zero : nil) { lull?.noteTurn() }
    } while !isStopping
  }

  /// Ends `run()` after the turn under way: its events and its end are still handled.
  package func stop() {
    isStopping = true
  }

  /// Waits once, for ever with nil, and handles what came. Work that waited for the end of a turn
  /// makes it return without waiting.
  package func turn(atMost limit: Duration?) throws(Errno) {
    _ = try turnOnce(atMost: limit)
  }

  /// `turn(atMost:)`, and whether there was anything to do.
  private func turnOnce(atMost limit: Duration?) throws(Errno) -> Bool {
    precondition(!isTurning, "a handler can't turn the loop that called it")
    isTurning = true
    defer { isTurning = false }

    let hadWork = finishTurn()
    for queue in timerQueues { try queue.arm() }
    let count = try wait(atMost: hadWork || !endOfTurnWork.isEmpty ? .zero : limit)
    for index in 0..<count {
      let event = events[index]
      dispatch(event.events, token: event.data.u64)
    }
    let isEventful = finishTurn() || hadWork || isNoted || count > (isOverlooked ? 1 : 0)
    (isOverlooked, isNoted) = (false, false)
    return isEventful
  }

  /// Has the event under way not count as one that ends a lull: one that comes at its time, and
  /// says nothing of the world.
  package func overlookEvent() {
    isOverlooked = true
  }

  /// Has the turn under way count, whatever in it is to be overlooked.
  func noteEvent() {
    isNoted = true
  }

  /// Runs `work` once, after the events of the turn under way and before the loop waits again.
  /// Work that this adds in its turn comes after the next turn's events, which that turn does not
  /// wait for: so work may put itself off again and again without starving anyone.
  package func atEndOfTurn(_ work: @escaping () -> Void) {
    endOfTurnWork.append(work)
  }

  private func finishTurn() -> Bool {
    guard !endOfTurnWork.isEmpty else { return false }
    let work = endOfTurnWork
    endOfTurnWork = []
    for item in work { item() }
    return true
  }
}

// MARK: - Waiting

extension EventLoop {
  private func wait(atMost limit: Duration?) throws(Errno) -> Int {
    let deadline: Duration? = if let limit, limit > .zero { Self.now + limit } else { nil }
    var timeout = milliseconds(limit)
    while true {
      let count = events.withUnsafeMutableBufferPointer {
        epoll_wait(epoll.raw, $0.baseAddress, Int32($0.count), timeout)
      }
      if count >= 0 { return Int(count) }
      let error = Errno.current
      guard error == .interrupted else { throw error }
      if let deadline { timeout = milliseconds(max(.zero, deadline - Self.now)) }
    }
  }

  /// As epoll_wait(2) takes it: -1 for ever, and rounded up so that it never wakes early.
  private func milliseconds(_ limit: Duration?) -> Int32 {
    guard let limit else { return -1 }
    let nanoseconds = limit.nanoseconds
    guard nanoseconds > 0 else { return 0 }
    return Int32(clamping: (nanoseconds - 1) / 1_000_000 + 1)
  }

  private func dispatch(_ events: UInt32, token: UInt64) {
    let descriptor = Int(token & 0xFFFF_FFFF)
    guard descriptor < registrations.count, let registration = registrations[descriptor],
      registration.identifier == UInt32(token >> 32), !registration.interest.isEmpty
    else { return }
    // What an earlier handler of this batch said it no longer wants is left out.
    let wanted = registration.interest.union(.always)
    let ready = Interest(rawValue: events).intersection(wanted)
    if !ready.isEmpty { registration.handler(ready) }
  }
}

// MARK: - Registrations

extension EventLoop {
  @discardableResult
  func register(
    _ descriptor: Int32, _ interest: Interest, _ handler: @escaping (Interest) -> Void
  ) throws(Errno) -> Registration {
    let registration = Registration(
      identifier: nextIdentifier, descriptor: descriptor, interest: interest, handler: handler)
    try control(EPOLL_CTL_ADD, registration)
    nextIdentifier &+= 1
    let index = Int(descriptor)
    while registrations.count <= index { registrations.append(nil) }
    registrations[index] = registration
    return registration
  }

  func update(_ registration: Registration, _ interest: Interest) {
    guard isCurrent(registration), registration.interest != interest else { return }
    registration.interest = interest
    do throws(Errno) {
      try control(EPOLL_CTL_MOD, registration)
    } catch {
      preconditionFailure("a watched descriptor was closed before its watch: \(error.name)")
    }
  }

  func remove(_ registration: Registration) {
    guard isCurrent(registration) else { return }
    registrations[Int(registration.descriptor)] = nil
    registration.handler = { _ in }
    // A descriptor that its owner closed first has left epoll by itself.
    _ = epoll_ctl(epoll.raw, EPOLL_CTL_DEL, registration.descriptor, nil)
  }

  private func isCurrent(_ registration: Registration) -> Bool {
    registrations[Int(registration.descriptor)] === registration
  }

  private func control(_ operation: Int32, _ registration: Registration) throws(Errno) {
    var event = epoll_event()
    event.events = registration.interest.mask
    event.data.u64 =
      UInt64(registration.identifier) << 32 | UInt64(UInt32(bitPattern: registration.descriptor))
    _ = try systemCall { epoll_ctl(epoll.raw, operation, registration.descriptor, &event) }
  }
}
