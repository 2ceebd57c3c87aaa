// SPDX-License-Identifier: MIT

import Testing

@testable import Settings

@Suite("A locked row")
struct RowLockTests {
  private static let failure = FlipError(.backendFailed, "the driver says no")

  /// A row locked on that was found off, put right, and is on.
  private func kept() -> Driver {
    var driver = Driver(locked: true, defaultValue: true)
    driver.observe(.off)
    driver.observe(.on)
    driver.effects = []
    return driver
  }

  /// The same, changed from outside twice within a minute.
  private func contested() -> Driver {
    var driver = kept()
    driver.observe(.off)
    driver.observe(.on)
    driver.now += .seconds(59)
    driver.observe(.off)
    return driver
  }

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
    #expect(driver.row.shown.reasonText == "locked by the administrator")
  }

  @Test("is put right when it is first read, and once more when it is changed from outside")
  func enforced() {
    var driver = Driver(locked: true, defaultValue: true)
    driver.observe(.off)
    #expect(driver.writes == [true])
    driver.observe(.on)
    #expect(driver.row.shown.state == .on)
    driver.observe(.mixed)
    driver.observe(.on)
    #expect(driver.writes == [true, true])
    #expect(driver.notes.isEmpty)
  }

  @Test("that can't be put right is not tried again for other words of the same trouble")
  func otherWords() {
    var driver = Driver(locked: true, defaultValue: true)
    for count in 1...5 {
      driver.observe(.unreadable(Problem(.unrecognised, "it says \(count)")))
      if count == 1 { driver.write(.failure(Self.failure)) }
      driver.now += .seconds(11)
    }
    #expect(driver.writes == [true])
    driver.observe(.off)
    #expect(driver.writes == [true, true])
  }

  @Test("that is changed again within a minute is left alone, and that is told once")
  func contestedRow() {
    var driver = contested()
    #expect(driver.writes == [true])
    let shown = driver.row.shown
    #expect(shown.state == .off && shown.isLocked && shown.reason == .locked)
    #expect(
      shown.reasonText
        == "locked on by the administrator, but off: something else changes it each time that it "
        + "is put right; stop that, then run togglectl reload")
    #expect(driver.notes == ["row row is \(shown.reasonText)"])
    for _ in 0..<100 {
      driver.now += .seconds(30)
      driver.observe(.off)
    }
    #expect(driver.writes == [true])
    #expect(driver.notes.count == 1)
  }

  @Test("is not fought over with one who sets it right and wrong by turns, a try a minute at most")
  func flapping() {
    var driver = kept()
    for _ in 0..<600 {
      driver.observe(.off)
      driver.observe(.on)
      driver.now += .seconds(1)
    }
    #expect(driver.writes.count == 10)
    #expect(driver.notes.count == 10)
  }

  @Test("that is changed a minute after it was put right is put right again")
  func rare() {
    var driver = kept()
    for _ in 0..<5 {
      driver.observe(.off)
      driver.observe(.on)
      driver.now += .seconds(60)
    }
    #expect(driver.writes == [true, true, true, true, true])
    #expect(driver.notes.isEmpty)
  }

  @Test("that came back to its value by itself shows no trouble any more")
  func backByItself() {
    var driver = contested()
    driver.now += .seconds(5)
    driver.observe(.on)
    #expect(driver.row.shown.reasonText == "locked by the administrator")
    driver.now += .seconds(60)
    driver.observe(.off)
    #expect(driver.writes == [true, true])
  }

  /// What has a lock begin anew.
  enum Renewal: CaseIterable {
    case reload, changedFile, sleep, loss
  }

  @Test(
    "tries again what it gave up after a reload, a change of its file, a sleep and a loss",
    arguments: Renewal.allCases)
  func triesAgain(_ renewal: Renewal) {
    var driver = contested()
    driver.effects = []
    switch renewal {
    case .reload: driver.enforceAgain()
    case .changedFile: driver.redefine(locked: true, defaultValue: true)
    case .sleep:
      driver.readAfresh(9)
      #expect(driver.writes.isEmpty)
      driver.answerRead(.off)
    case .loss:
      driver.now += .seconds(1)
      driver.observe(.unreadable(Problem(.noDevice, "gone")))
      #expect(driver.row.shown.reasonText == "locked by the administrator; gone")
      driver.observe(.off)
    }
    #expect(driver.writes == [true])
  }

  @Test("is not written to by Refresh once it is left alone")
  func refresh() {
    var driver = contested()
    driver.effects = []
    driver.refresh(1)
    driver.answerRead(.off)
    #expect(driver.writes.isEmpty && driver.notes.isEmpty)
    #expect(driver.answer(1) == settled(false, false))
  }

  @Test("that is left alone can be brought back to its value by hand, and to no other")
  func byHand() {
    var driver = contested()
    driver.effects = []
    driver.set(false, 1)
    driver.toggle(2)
    driver.set(true, 3)
    driver.observe(.on)
    #expect(driver.answer(1) == settled(false, false))
    #expect(driver.answer(2)?.errorKind == .locked)
    #expect(driver.answer(3) == settled(true, true))
    #expect(driver.writes == [true])
    #expect(driver.row.shown.reasonText == "locked by the administrator")
  }

  @Test("that can't be put right says why, and is left alone until it has become another")
  func failing() {
    var driver = Driver(locked: true, defaultValue: true)
    driver.observe(.off.with(Problem(.hardBlocked, "its switch is off")))
    driver.write(.failure(Self.failure))
    driver.answerRead(.off.with(Problem(.hardBlocked, "its switch is off")))
    #expect(driver.writes == [true])
    #expect(
      driver.row.shown.reasonText
        == "locked on by the administrator, but off: it can't be put right: the driver says no; "
        + "once it can be, run togglectl reload")
    #expect(driver.notes.count == 1)
    driver.now += .seconds(9)
    driver.observe(.off)
    #expect(driver.effects.last == .arm(.enforce, after: .seconds(1)))
    driver.now += .seconds(1)
    driver.fire(.enforce)
    #expect(driver.writes == [true, true])
    driver.observe(.on)
    #expect(driver.row.shown.reasonText == "locked by the administrator")
  }

  @Test("whose service comes and goes is put right each time it is there, ten seconds apart")
  func comesAndGoes() {
    var driver = Driver(locked: true, defaultValue: false)
    for _ in 0..<60 {
      driver.observe(.on)
      driver.observe(.off)
      driver.observe(.unreadable(Problem(.noService, "it left")))
      driver.now += .seconds(1)
      driver.fire(.enforce)
    }
    #expect(driver.writes.count == 6)
    #expect(driver.notes.isEmpty)
  }

  @Test("that can't be reached is left until it can be")
  func absent() {
    var driver = Driver(locked: true, defaultValue: true)
    driver.observe(.unreadable(Problem(.noService, "none")))
    driver.enforceAgain()
    #expect(driver.writes.isEmpty)
    #expect(driver.row.shown.reasonText == "locked by the administrator; none")
    driver.observe(.off)
    #expect(driver.writes == [true])
  }

  @Test(
    "is put where it belongs when the lock comes, after the flip under way, and refuses the rest")
  func lockComes() {
    var driver = Driver(reading: .off)
    driver.set(true, 1)
    driver.set(false, 2)
    driver.set(true, 3)
    driver.effects = []
    driver.redefine(locked: true, defaultValue: false)
    driver.set(true, 4)
    #expect(driver.answer(4)?.errorKind == .locked)
    driver.observe(.on)
    #expect(driver.answer(1) == settled(true, true))
    #expect(driver.writes == [false])
    driver.observe(.off)
    #expect(driver.row.shown.state == .off)
  }

  @Test("whose wish waits when the lock comes is refused it")
  func waitingWish() {
    var driver = Driver(reading: .on)
    driver.set(false, 1)
    driver.set(true, 2)
    driver.redefine(locked: true, defaultValue: false)
    #expect(driver.answer(2)?.errorKind == .locked)
    driver.observe(.off)
    #expect(driver.writes == [false])
    #expect(driver.row.shown.state == .off)
  }

  @Test("writes nothing through a backend that its changed file takes away")
  func otherBackend() {
    var driver = Driver(reading: .off)
    driver.redefine(locked: true, defaultValue: true, hasBackend: false)
    #expect(driver.writes.isEmpty)
  }
}
