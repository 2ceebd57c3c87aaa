// SPDX-License-Identifier: MIT

import Testing

@testable import Settings

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

  @Test("a flip that comes to nothing tells what is wrong, where that is known")
  func deadlineReason() {
    for (reading, why) in [
      (Reading.off, "its backend took too long or ignored the change"),
      (.unreadable(Problem(.failed, "State's cat failed")), "State's cat failed"),
    ] {
      var driver = Driver(reading: .off)
      driver.set(true, 1)
      driver.write()
      driver.answerRead(reading)
      driver.fire(.deadline)
      guard case .failure(let error)? = driver.answer(1) else {
        Issue.record("no failure")
        continue
      }
      #expect(error.kind == .timedOut)
      #expect(error.message == "row row was not confirmed on within 10 s; \(why)")
    }
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

  @Test("a flip that was under way when the machine slept is not late before it is read again")
  func sleep() {
    var driver = Driver(reading: .off)
    driver.set(true, 1)
    driver.write()
    _ = driver.take()
    // The read that was asked before may have been answered before the sleep.
    driver.readAfresh(2)
    #expect(driver.take() == [.arm(.deadline, after: .seconds(10))])
    driver.answerRead(.off)
    #expect(
      driver.take() == [.disarm(.announce), .arm(.reread, after: Row.firstReread), .read])
    driver.answerRead(.on)
    #expect(driver.answer(1) == settled(true, true))
    #expect(driver.answer(2) == settled(false, true))
  }

  @Test("a row at rest is only read again after a sleep")
  func sleepAtRest() {
    var driver = Driver(reading: .off)
    driver.readAfresh(1)
    #expect(driver.take() == [.read])
    driver.answerRead(.on)
    #expect(driver.announcements == [[.isOn, .state]])
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
