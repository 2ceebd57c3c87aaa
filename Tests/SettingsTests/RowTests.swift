// SPDX-License-Identifier: MIT

import Testing

@testable import Settings

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
    driver.set(true, 1, origin: .person)
    #expect(
      driver.take() == [
        .announce(.target, byFlip: true), .arm(.deadline, after: .seconds(10)),
        .write(on: true, serial: 1, origin: .person),
      ])
    driver.write()
    #expect(driver.take() == [.read])
    driver.answerRead(.on)
    #expect(
      driver.take() == [
        .disarm(.deadline), .disarm(.reread), .flipped(true, .person),
        .announce([.isOn, .state, .target], byFlip: true), .answer(1, settled(true, true)),
      ])
    #expect(driver.row.shown.isOn)
  }

  @Test("what brought a change about is told once for each, and a first reading is no change")
  func origins() {
    var driver = Driver()
    driver.observe(.on)
    #expect(driver.flips == [])
    driver.now += .seconds(1)
    driver.observe(.unreadable(Problem(.noService, "gone")))
    driver.now += .seconds(1)
    driver.observe(.on)
    #expect(driver.flips == [])
    driver.now += .seconds(1)
    driver.observe(.off)
    #expect(driver.flips == [.flipped(false, Origin(.outside))])
    driver.set(true, 1, origin: .person)
    driver.set(true, 2)
    driver.write()
    driver.answerRead(.on)
    #expect(driver.flips.last == .flipped(true, .person) && driver.flips.count == 2)
    var failing = Driver(reading: .off)
    failing.set(true, 1)
    failing.write(.failure(FlipError(.backendFailed, "no")))
    failing.answerRead(.off)
    #expect(failing.flips == [])
    var locked = Driver(locked: true, defaultValue: true)
    locked.observe(.off)
    locked.observe(.on)
    #expect(locked.flips == [.flipped(true, Origin(.lock))])
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
    driver.effects += driver.row.reset(ticket: 1, origin: .nobody)
    #expect(driver.writes == [true])
    driver = Driver(reading: .off)
    driver.effects += driver.row.reset(ticket: 2, origin: .nobody)
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

  @Test("those who wait together have it done for whoever may more, or else for the newest")
  func originOfJoined() {
    func may(_ action: String?, _ client: String, isInteractive: Bool = false) -> Origin {
      var origin = Origin(.client, client: client, isInteractive: isInteractive)
      origin.actions = action.map { [RowID(orUnnamed: "row"): [$0]] }
      return origin
    }
    let (before, now) = (may("org.example.before", ":1.1"), may("org.example.now", ":1.2"))
    let (all, asked) = (may(nil, ":1.3"), may("org.example.now", ":1.4", isInteractive: true))
    for (first, second, chosen) in [
      (before, now, now), (all, now, all), (now, all, all), (asked, now, asked),
      (before, asked, asked), (asked, before, asked),
    ] {
      var driver = Driver(reading: .off)
      driver.set(true, 1)
      driver.set(false, 2, origin: first)
      driver.set(false, 3, origin: second)
      driver.observe(.on)
      #expect(driver.effects.contains(.write(on: false, serial: 2, origin: chosen)))
    }
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
