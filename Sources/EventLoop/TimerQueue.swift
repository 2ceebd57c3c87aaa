// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import System

/// One timer in a queue.
@MainActor
final class TimerEntry {
  /// Nanoseconds on the queue's clock.
  let deadline: Int64
  /// Timers for the same nanosecond fire in the order they were made.
  let sequence: UInt64
  var handler: (TimerEvent) -> Void
  /// Where it is in the heap; nil once it has left it.
  var index: Int?
  var isActive = true

  init(deadline: Int64, sequence: UInt64, handler: @escaping (TimerEvent) -> Void) {
    self.deadline = deadline
    self.sequence = sequence
    self.handler = handler
  }

  func precedes(_ other: TimerEntry) -> Bool {
    (deadline, sequence) < (other.deadline, other.sequence)
  }

  func deactivate() {
    isActive = false
    handler = { _ in }
  }
}

/// The timers of one clock, in a heap with the earliest first, and the one timerfd that stands for
/// it. The timerfd is set just before the loop waits and only when the earliest deadline is not
/// the one it is set for, so timers that come and go within a turn cost no system call.
@MainActor
final class TimerQueue {
  let clock: Clock
  private unowned let loop: EventLoop
  private var heap: [TimerEntry] = []
  private var nextSequence: UInt64 = 0
  private var descriptor: FileDescriptor?
  /// What the timerfd is set for; nil when it is not, or has fired.
  private var armed: Int64?

  init(clock: Clock, loop: EventLoop) {
    self.clock = clock
    self.loop = loop
  }

  func add(deadline: Int64, _ handler: @escaping (TimerEvent) -> Void) -> Timer {
    let entry = TimerEntry(deadline: deadline, sequence: nextSequence, handler: handler)
    nextSequence += 1
    heap.append(entry)
    entry.index = heap.count - 1
    siftUp(from: heap.count - 1)
    return Timer(queue: self, entry: entry)
  }

  func remove(_ entry: TimerEntry) {
    entry.deactivate()
    guard let index = entry.index else { return }
    entry.index = nil
    let last = heap.removeLast()
    guard last !== entry else { return }
    place(last, at: index)
    siftUp(from: index)
    siftDown(from: last.index ?? index)
  }

  /// Sets the timerfd for the earliest deadline, or off when there is none.
  func arm() throws(Errno) {
    let earliest = heap.first?.deadline
    guard earliest != armed else { return }
    if descriptor == nil { try open() }
    do throws(Errno) {
      try set(earliest)
    } catch .cancelled {
      // The clock was set between two settings: this one counts, but nobody was told.
      loop.atEndOfTurn { [weak self] in self?.clockChanged() }
    }
    armed = earliest
  }

  private func open() throws(Errno) {
    let flags = Int32(TFD_CLOEXEC | TFD_NONBLOCK)
    let raw = try systemCall { timerfd_create(clock.identifier, flags) }
    let created = FileDescriptor(adopting: raw)
    try loop.register(created.raw, .readable) { [unowned self] _ in timerIsReadable() }
    descriptor = consume created
  }

  private func set(_ deadline: Int64?) throws(Errno) {
    guard let raw = descriptor?.raw else { return }
    var setting = itimerspec()
    if let deadline {
      // A setting of zero would turn the timer off.
      let time = max(1, deadline)
      setting.it_value.tv_sec = Int(time / 1_000_000_000)
      setting.it_value.tv_nsec = Int(time % 1_000_000_000)
    }
    let flags: Int32 =
      switch clock {
      case .awake: Int32(TFD_TIMER_ABSTIME)
      case .real: Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
      }
    _ = try systemCall { timerfd_settime(raw, flags, &setting, nil) }
  }

  private func timerIsReadable() {
    do throws(Errno) {
      _ = try descriptor?.read(upTo: 8)
      armed = nil
      fireDue()
    } catch .cancelled {
      armed = nil
      clockChanged()
    } catch {
      // EAGAIN: it was set anew after it had become readable.
    }
  }

  /// Takes all that are due off the heap before it calls any: one that a handler makes for right
  /// now waits for the next turn.
  private func fireDue() {
    let now = clock.nanoseconds
    var due: [TimerEntry] = []
    while let first = heap.first, first.deadline <= now {
      due.append(first)
      takeFirst()
    }
    for entry in due where entry.isActive {
      let handler = entry.handler
      entry.deactivate()
      handler(.due)
    }
  }

  /// Tells every timer, each of which stays as it is.
  func clockChanged() {
    for entry in heap where entry.isActive { entry.handler(.clockChanged) }
  }
}

// MARK: - The heap

extension TimerQueue {
  private func takeFirst() {
    heap[0].index = nil
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    place(last, at: 0)
    siftDown(from: 0)
  }

  private func place(_ entry: TimerEntry, at index: Int) {
    heap[index] = entry
    entry.index = index
  }

  private func siftUp(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].precedes(heap[parent]) else { return }
      swap(child, parent)
      child = parent
    }
  }

  private func siftDown(from start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].precedes(heap[least]) {
        least = child
      }
      guard least != parent else { return }
      swap(parent, least)
      parent = least
    }
  }

  private func swap(_ first: Int, _ second: Int) {
    heap.swapAt(first, second)
    heap[first].index = first
    heap[second].index = second
  }
}
