// SPDX-License-Identifier: MIT

import Testing

@testable import Settings

/// A row with a backend and clients that do anything in any order; the same for the same seed.
private struct Simulation {
  /// What the backend is: only its own changes are told, as by a service with signals, or none is.
  private let tells: Bool
  private var random: Generator
  private var row: Row
  private var now = Duration.seconds(1)
  private(set) var world = false
  private var reads = 0
  private var writes: [(on: Bool, serial: UInt64)] = []
  private var timers: [Row.TimerKind: Duration] = [:]
  private var lastTicket: Row.Ticket = 0
  private var unanswered: Set<Row.Ticket> = []
  private var announcedOutside: [Duration] = []

  init(seed: UInt64, tells: Bool) throws {
    self.tells = tells
    random = Generator(state: seed)
    let rules = Row.Rules(timeout: .seconds(2), isLocked: false, defaultValue: true)
    row = Row(id: try #require(RowID("row")), rules: rules)
    perform(row.didObserve(.off, at: now))
  }

  mutating func run(steps: Int) {
    for _ in 0..<steps { step() }
    // Whatever hangs is answered in the end, and time passes.
    while reads > 0 || !writes.isEmpty || !timers.isEmpty {
      while reads > 0 { answerRead() }
      while !writes.isEmpty { answerWrite(0, applied: true) }
      if let (kind, _) = timers.min(by: { $0.value < $1.value }) { fire(kind) }
    }
  }

  func requireRest() {
    #expect(unanswered.isEmpty)
    #expect(!row.isBusy)
    #expect(row.shown.target == nil)
    #expect(row.shown.state == SwitchState(world))
    #expect(row.shown.isOn == world)
    #expect(row.shownReading == Reading(world))
    // Changes from outside are told twenty times a second at most.
    for (first, second) in zip(announcedOutside, announcedOutside.dropFirst()) {
      #expect(second - first >= Row.announceInterval)
    }
  }

  private mutating func step() {
    now += .milliseconds(Int.random(in: 0...30, using: &random))
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1: wish { $0.set(true, ticket: $1, origin: .nobody) }
    case 2, 3: wish { $0.set(false, ticket: $1, origin: .person) }
    case 4: wish { $0.toggle(ticket: $1, origin: .nobody) }
    case 5: wish { $0.refresh(ticket: $1) }
    case 6: wish { $0.reset(ticket: $1, origin: .nobody) }
    case 7, 8:
      if reads > 0 { answerRead() }
    case 9, 10:
      if !writes.isEmpty {
        answerWrite(
          Int.random(in: 0..<writes.count, using: &random),
          applied: Int.random(in: 0..<4, using: &random) > 0)
      }
    case 11:
      // Someone else changes it, who is always heard.
      world.toggle()
      perform(row.didObserve(Reading(world), at: now))
    case 12:
      let problem = Problem(.noService, "gone")
      perform(row.didObserve(.unreadable(problem), at: now))
      perform(row.didObserve(Reading(world), at: now))
    default:
      if let (kind, due) = timers.min(by: { $0.value < $1.value }) {
        now = max(now, due)
        fire(kind)
      }
    }
  }

  private mutating func wish(_ action: (inout Row, Row.Ticket) -> [Row.Effect]) {
    lastTicket += 1
    unanswered.insert(lastTicket)
    perform(action(&row, lastTicket))
  }

  private mutating func answerRead() {
    reads -= 1
    perform(row.didRead(Reading(world), at: now))
  }

  private mutating func answerWrite(_ index: Int, applied: Bool) {
    let (on, serial) = writes.remove(at: index)
    if applied { world = on }
    if applied, tells { perform(row.didObserve(Reading(world), at: now)) }
    // It may have come about and be refused all the same, or be taken and ignored.
    let fails = Int.random(in: 0..<4, using: &random) == 0
    let error = FlipError(.backendFailed, "no")
    perform(row.didWrite(fails ? .failure(error) : .success(()), serial: serial, at: now))
  }

  private mutating func fire(_ kind: Row.TimerKind) {
    if let due = timers.removeValue(forKey: kind) { now = max(now, due) }
    perform(row.timerFired(kind, at: now))
  }

  private mutating func perform(_ effects: [Row.Effect]) {
    for effect in effects {
      switch effect {
      case .read: reads += 1
      case .write(let on, let serial, _): writes.append((on, serial))
      case .answer(let ticket, _):
        #expect(unanswered.remove(ticket) != nil, "ticket \(ticket) was answered twice")
      case .flipped(let on, _): #expect(row.confirmed == on, "it is told of as what it is")
      case .announce(_, let byFlip):
        if !byFlip, row.shown.target == nil { announcedOutside.append(now) }
      case .arm(let kind, let delay): timers[kind] = now + delay
      case .disarm(let kind): timers[kind] = nil
      case .note(let text): Issue.record("nothing is locked, and yet: \(text)")
      }
      #expect(reads <= 1, "one reading at a time")
    }
  }
}

@Suite("a row, whatever happens in whatever order")
struct RowSimulationTests {
  @Test(
    "answers everyone once, and shows the world as it is when it comes to rest",
    arguments: [true, false])
  func simulation(tells: Bool) throws {
    for seed in 1...300 as ClosedRange<UInt64> {
      var simulation = try Simulation(seed: seed, tells: tells)
      simulation.run(steps: 200)
      simulation.requireRest()
    }
  }
}
