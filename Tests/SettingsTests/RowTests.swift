// SPDX-License-Identifier: MIT

import Testing

@testable import Settings

/// Drives a row and keeps what it asked for, with a clock that only the test moves.
private struct Driver {
  var row: Row
  var now = Duration.seconds(100)
  var effects: [Row.Effect] = []

  init(
    locked: Bool = false, defaultValue: Bool? = nil, timeout: Duration = .seconds(10),
    reading: Reading? = nil
  ) {
    let rules = Row.Rules(timeout: timeout, isLocked: locked, defaultValue: defaultValue)
    row = Row(id: RowID(orUnnamed: "row"), rules: rules)
    if let reading { observe(reading) }
    effects = []
    now += .seconds(10)
  }

  mutating func observe(_ reading: Reading) { effects += row.didObserve(reading, at: now) }
  mutating func answerRead(_ reading: Reading) { effects += row.didRead(reading, at: now) }
  mutating func set(_ on: Bool, _ ticket: Row.Ticket, interactive: Bool = false) {
    effects += row.set(on, ticket: ticket, interactive: interactive)
  }
  mutating func toggle(_ ticket: Row.Ticket) {
    effects += row.toggle(ticket: ticket, interactive: false)
  }
  mutating func write(_ result: Result<Void, FlipError> = .success(())) {
    effects += row.didWrite(result, serial: lastSerial, at: now)
  }
  mutating func fire(_ timer: Row.TimerKind) { effects += row.timerFired(timer, at: now) }

  /// The effects since the last call.
  mutating func take() -> [Row.Effect] {
    defer { effects = [] }
    return effects
  }

  private(set) var lastSerial: UInt64 {
    get { row.serial }
    set {}
  }

  func answer(_ ticket: Row.Ticket) -> Result<Row.Settled, FlipError>? {
    let answers = effects.compactMap { effect -> Result<Row.Settled, FlipError>? in
      guard case .answer(ticket, let result) = effect else { return nil }
      return result
    }
    #expect(answers.count < 2, "ticket \(ticket) was answered \(answers.count) times")
    return answers.first
  }

  var writes: [Bool] {
    effects.compactMap { effect in
      guard case .write(let on, _, _) = effect else { return nil }
      return on
    }
  }

  var announcements: [RowFacts.Names] {
    effects.compactMap { effect in
      guard case .announce(let names, _) = effect else { return nil }
      return names
    }
  }
}

private func settled(_ changed: Bool, _ on: Bool) -> Result<Row.Settled, FlipError> {
  .success(Row.Settled(changed: changed, isOn: on))
}

extension Result where Failure == FlipError {
  fileprivate var errorKind: FlipError.Kind? {
    guard case .failure(let error) = self else { return nil }
    return error.kind
  }
}

@Suite("A row's flips")
struct RowFlipTests {
  @Test("a row is unknown, and not available, until it is read")
  func unknownAtFirst() {
    let facts = Driver().row.shown
    #expect(facts.state == .unknown)
    #expect(!facts.isOn && !facts.isAvailable && facts.reason == nil)
  }

  @Test("a flip announces its target, writes, and is answered after the reading is announced")
  func flip() {
    var driver = Driver(reading: .off)
    driver.set(true, 1, interactive: true)
    #expect(
      driver.take() == [
        .announce(.target, byFlip: true), .arm(.deadline, after: .seconds(10)),
        .write(on: true, serial: 1, interactive: true),
      ])
    driver.write()
    #expect(driver.take() == [.read])
    driver.answerRead(.on)
    #expect(
      driver.take() == [
        .disarm(.deadline), .disarm(.reread), .announce([.isOn, .state, .target], byFlip: true),
        .answer(1, settled(true, true)),
      ])
    #expect(driver.row.shown.isOn)
  }

  @Test("setting what already is touches nothing", arguments: [true, false])
  func noOperation(on: Bool) {
    var driver = Driver(reading: Reading(on))
    driver.set(on, 1)
    #expect(driver.take() == [.answer(1, settled(false, on))])
  }

  @Test("off acts on a row that is mixed or unknown", arguments: [Reading.mixed, nil])
  func offActs(reading: Reading?) {
    var driver = Driver(reading: reading)
    driver.set(false, 1)
    #expect(driver.writes == [false])
  }

  @Test("a signal that carries the target ends the flip before the write is answered")
  func signalFirst() {
    var driver = Driver(reading: .off)
    driver.set(true, 1)
    driver.observe(.on)
    #expect(driver.answer(1) == settled(true, true))
    _ = driver.take()
    driver.write()
    #expect(driver.take() == [])
  }

  @Test("a write that fails late has the row read again")
  func lateFailure() {
    var driver = Driver(reading: .off)
    driver.set(true, 1)
    driver.observe(.on)
    _ = driver.take()
    driver.write(.failure(FlipError(.backendFailed, "late")))
    #expect(driver.take() == [.read])
  }

  @Test("a failed write is answered with the backend's error and the row is read again")
  func failedWrite() {
    var driver = Driver(reading: .off)
    driver.set(true, 1)
    let error = FlipError(.backendFailed, "no")
    driver.write(.failure(error))
    #expect(driver.answer(1) == .failure(error))
    #expect(driver.effects.last == .read)
    #expect(driver.row.shown.target == nil)
  }

  @Test("a flip that is never confirmed times out, and the row is read again")
  func deadline() {
    var driver = Driver(timeout: .seconds(3), reading: .off)
    driver.set(true, 1)
    driver.write()
    driver.answerRead(.off)
    driver.fire(.deadline)
    #expect(driver.answer(1)?.errorKind == .timedOut)
    #expect(driver.effects.last == .read)
    #expect(driver.row.shown.state == .off && driver.row.shown.target == nil)
  }

  @Test("a value that is slow to show is looked for again, ever more slowly")
  func rereads() {
    var driver = Driver(reading: .off)
    driver.set(true, 1)
    driver.write()
    driver.answerRead(.off)
    #expect(driver.take().contains(.arm(.reread, after: .milliseconds(50))))
    driver.fire(.reread)
    #expect(driver.take() == [.read])
    driver.answerRead(.off)
    #expect(driver.take().contains(.arm(.reread, after: .milliseconds(100))))
    driver.fire(.reread)
    driver.answerRead(.on)
    #expect(driver.answer(1) == settled(true, true))
  }

  @Test("a mixed row toggles to all on")
  func toggleMixed() {
    var driver = Driver(reading: .mixed)
    driver.toggle(1)
    #expect(driver.writes == [true])
  }

  @Test("an unknown row is read before it is toggled")
  func toggleUnknown() {
    var driver = Driver()
    driver.toggle(1)
    #expect(driver.take() == [.read])
    driver.answerRead(.on)
    #expect(driver.writes == [false])
  }

  @Test("a toggle of a row that can't be read is unavailable")
  func toggleUnreadable() {
    var driver = Driver()
    driver.toggle(1)
    driver.answerRead(.unreadable(Problem(.noService, "gone")))
    #expect(driver.answer(1)?.errorKind == .unavailable)
    #expect(driver.writes == [])
  }

  @Test("two toggles at once give two flips")
  func twoToggles() {
    var driver = Driver(reading: .off)
    driver.toggle(1)
    driver.toggle(2)
    #expect(driver.writes == [true])
    driver.observe(.on)
    #expect(driver.answer(1) == settled(true, true))
    #expect(driver.writes == [true, false])
    driver.observe(.off)
    #expect(driver.answer(2) == settled(true, false))
  }

  @Test("reset goes to the default, and without one is refused")
  func reset() {
    var driver = Driver(defaultValue: true, reading: .off)
    driver.effects += driver.row.reset(ticket: 1, interactive: false)
    #expect(driver.writes == [true])
    driver = Driver(reading: .off)
    driver.effects += driver.row.reset(ticket: 2, interactive: false)
    #expect(driver.answer(2)?.errorKind == .invalidArgs)
  }

  @Test("a row that is removed answers everyone who waits, once")
  func removed() {
    var driver = Driver(reading: .off)
    driver.set(true, 1)
    driver.set(false, 2)
    driver.set(true, 3)
    driver.set(false, 4)
    driver.effects += driver.row.refresh(ticket: 5)
    driver.effects += driver.row.remove()
    for ticket in Row.Ticket(1)...5 { #expect(driver.answer(ticket)?.errorKind == .removed) }
  }
}

@Suite("Wishes that meet")
struct RowWishTests {
  @Test("a newer wish replaces the waiting one, which succeeds if it comes out as it wished")
  func superseded() {
    var driver = Driver(reading: .off)
    driver.set(true, 1)
    driver.set(false, 2)
    driver.set(true, 3)  // joins the flip under way, replaces 2
    driver.set(false, 4)
    driver.observe(.on)
    #expect(driver.answer(1) == settled(true, true))
    #expect(driver.answer(3) == settled(true, true))
    #expect(driver.answer(2) == nil)
    driver.observe(.off)
    #expect(driver.answer(4) == settled(true, false))
    #expect(driver.answer(2) == settled(true, false))
  }

  @Test("a replaced wish that differs from the end state is superseded")
  func supersededDiffers() {
    var driver = Driver(reading: .off)
    driver.set(true, 1)
    driver.set(false, 2)
    driver.set(true, 3)
    driver.observe(.on)
    #expect(driver.answer(2)?.errorKind == .superseded)
    #expect(driver.answer(3) == settled(true, true))
    #expect(driver.writes == [true])
  }

  @Test("a wish that equals the waiting one waits with it")
  func joinsWaiting() {
    var driver = Driver(reading: .off)
    driver.set(true, 1)
    driver.set(false, 2)
    driver.set(false, 3)
    driver.observe(.on)
    driver.observe(.off)
    #expect(driver.answer(2) == settled(true, false))
    #expect(driver.answer(3) == settled(true, false))
    #expect(driver.writes == [true, false])
  }

  @Test("the waiting wish is tried after the flip before it failed")
  func afterFailure() {
    var driver = Driver(reading: .off)
    driver.set(true, 1)
    driver.set(false, 2)
    driver.write(.failure(FlipError(.backendFailed, "no")))
    #expect(driver.answer(1)?.errorKind == .backendFailed)
    #expect(driver.answer(2) == settled(false, false))
  }

  @Test("the target goes straight from one wish to the next in one announcement")
  func oneAnnouncement() {
    var driver = Driver(reading: .off)
    driver.set(true, 1)
    driver.set(false, 2)
    _ = driver.take()
    driver.observe(.on)
    #expect(driver.announcements == [[.isOn, .state, .target]])
    #expect(driver.row.shown.target == false)
  }
}

@Suite("A row and the world")
struct RowWorldTests {
  @Test("loss keeps the value and makes the state unknown")
  func loss() {
    var driver = Driver(reading: .on)
    driver.observe(.unreadable(Problem(.noService, "the service left")))
    let facts = driver.row.shown
    #expect(facts.isOn && facts.state == .unknown && !facts.isAvailable)
    #expect(facts.reason == .noService && facts.reasonText == "the service left")
    #expect(driver.announcements == [[.state, .isAvailable, .reason, .reasonText]])
  }

  @Test("a value that is neither on nor off is unknown but available")
  func unrecognised() {
    var driver = Driver(reading: .on)
    driver.observe(.unreadable(Problem(.unrecognised, "'x'")))
    #expect(driver.row.shown.state == .unknown && driver.row.shown.isAvailable)
  }

  @Test("a radio that is off at its hard switch is off, and says why; a flip is tried all the same")
  func hardBlocked() {
    var driver = Driver(reading: .on)
    driver.observe(.off.with(Problem(.hardBlocked, "blocked by a switch")))
    let facts = driver.row.shown
    #expect(facts.state == .off && !facts.isOn && facts.isAvailable)
    #expect(facts.reason == .hardBlocked && facts.reasonText == "blocked by a switch")
    #expect(driver.announcements == [[.isOn, .state, .reason, .reasonText]])
    driver.set(true, 1)
    #expect(driver.writes == [true])
    driver.write(.failure(FlipError(.backendFailed, "the switch is off")))
    #expect(driver.answer(1) == .failure(FlipError(.backendFailed, "the switch is off")))
  }

  @Test("what is on its way by itself shows its target, and setting that again still waits for it")
  func heading() {
    var driver = Driver(reading: .off)
    driver.observe(.off.heading(to: true))
    #expect(driver.row.shown.target == true && driver.row.shown.state == .off)
    #expect(driver.announcements == [[.target]])
    driver.set(false, 1)
    #expect(driver.writes == [false])
    driver.observe(.off.heading(to: true))
    #expect(driver.answer(1) == nil)
    driver.observe(.off)
    #expect(driver.answer(1) == settled(true, false))
    #expect(driver.row.shown.target == nil)
  }

  @Test("a toggle of what is on its way counts from where it goes")
  func headingToggled() {
    var driver = Driver(reading: .off.heading(to: true))
    driver.toggle(1)
    #expect(driver.writes == [false])
  }

  @Test("a value, its problem and its target are swapped as one for Invert")
  func invertedReading() {
    let problem = Problem(.failed, "it failed")
    let reading = Reading.off.with(problem).heading(to: true)
    #expect(reading.inverted == Reading.on.with(problem).heading(to: false))
    #expect(Reading.unreadable(problem).inverted == .unreadable(problem))
  }

  @Test("what did not change is not announced")
  func unchanged() {
    var driver = Driver(reading: .on)
    driver.observe(.on)
    #expect(driver.announcements == [])
  }

  @Test("changes from outside are held back to twenty a second, and the last one gets out")
  func flapping() {
    var driver = Driver(reading: .off)
    driver.observe(.on)
    driver.now += .milliseconds(10)
    driver.observe(.off)
    #expect(driver.effects.last == .arm(.announce, after: .milliseconds(40)))
    #expect(driver.row.shown.state == .on)
    driver.now += .milliseconds(40)
    driver.fire(.announce)
    #expect(driver.row.shown.state == .off)
    #expect(driver.announcements.count == 2)
  }

  @Test("a flapping second has at most twenty-one announcements and ends with the last value")
  func flappingSecond() {
    var driver = Driver(reading: .off)
    var timer: Duration?
    for step in 1...1000 {
      driver.now += .milliseconds(1)
      if let due = timer, due <= driver.now {
        timer = nil
        driver.fire(.announce)
      }
      driver.observe(Reading(step % 2 == 1))
      for effect in driver.take() {
        switch effect {
        case .arm(.announce, let after): timer = driver.now + after
        case .disarm(.announce): timer = nil
        case .announce: count += 1
        default: break
        }
      }
    }
    #expect(count <= 21)
    if timer != nil { driver.fire(.announce) }
    #expect(driver.row.shown.state == .off)
  }
  private var count: Int {
    get { counter.value }
    nonmutating set { counter.value = newValue }
  }
  private final class Counter { var value = 0 }
  private let counter = Counter()

  @Test("a flip is announced at once while changes from outside are held back")
  func flipNotThrottled() {
    var driver = Driver(reading: .off)
    driver.observe(.on)
    driver.observe(.off)
    #expect(driver.row.shown.state == .on)
    driver.set(true, 1)
    #expect(driver.row.shown.state == .off && driver.row.shown.target == true)
    driver.observe(.on)
    #expect(driver.row.shown.state == .on)
    #expect(driver.answer(1) == settled(true, true))
  }

  @Test("what a flip of another row brought about is announced at once")
  func byAnotherFlip() {
    var driver = Driver(reading: .off)
    driver.observe(.mixed)
    driver.effects += driver.row.didObserve(.on, byFlip: true, at: driver.now)
    #expect(driver.row.shown.state == .on)
  }

  @Test("a refresh that comes during a read waits for the next one")
  func refreshTwice() {
    var driver = Driver(reading: .off)
    driver.effects += driver.row.refresh(ticket: 1)
    driver.effects += driver.row.refresh(ticket: 2)
    driver.answerRead(.off)
    #expect(driver.answer(1) != nil && driver.answer(2) == nil)
    driver.answerRead(.on)
    #expect(driver.answer(2) == settled(false, true))
  }
}

@Suite("A locked row")
struct RowLockTests {
  @Test("refuses another value, accepts its own, and says who locked it")
  func refuses() {
    var driver = Driver(locked: true, defaultValue: false, reading: .off)
    driver.set(true, 1)
    driver.set(false, 2)
    driver.toggle(3)
    #expect(driver.answer(1)?.errorKind == .locked)
    #expect(driver.answer(2) == settled(false, false))
    #expect(driver.answer(3)?.errorKind == .locked)
    #expect(driver.row.shown.reason == .locked && driver.row.shown.isLocked)
  }

  @Test("is put right when it is found with another value")
  func enforced() {
    var driver = Driver(locked: true, defaultValue: true)
    driver.observe(.off)
    #expect(driver.writes == [true])
    driver.observe(.on)
    #expect(driver.row.shown.state == .on)
  }

  @Test("is put right at most once a second")
  func enforcedSlowly() {
    var driver = Driver(locked: true, defaultValue: true)
    driver.observe(.off)
    driver.observe(.on)
    driver.now += .milliseconds(300)
    driver.observe(.off)
    #expect(driver.writes == [true])
    #expect(driver.effects.last == .arm(.enforce, after: .milliseconds(700)))
    driver.now += .milliseconds(700)
    driver.fire(.enforce)
    #expect(driver.writes == [true, true])
  }

  @Test("that can't be put right is left alone until it changes")
  func unenforceable() {
    var driver = Driver(locked: true, defaultValue: true)
    driver.observe(.off)
    driver.write(.failure(FlipError(.backendFailed, "no")))
    driver.now += .seconds(5)
    driver.answerRead(.off)
    #expect(driver.writes == [true])
    driver.observe(.on)
    driver.observe(.off)
    #expect(driver.writes == [true, true])
  }
}
