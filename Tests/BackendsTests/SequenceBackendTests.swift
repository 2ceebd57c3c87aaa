// SPDX-License-Identifier: MIT

import Backends
import EventLoop
import Settings
import TestSupport
import Testing

@MainActor
@Suite("a sequence")
struct SequenceBackendTests {
  private let stage: Stage
  private let unblock = ScriptedBackend(.off)
  private let power = ScriptedBackend(.off)

  init() throws {
    stage = try Stage()
  }

  private func sequence(
    offSteps: [Int]? = nil, timeout: Duration = patience, isProgram: Bool = false
  ) -> SequenceBackend {
    let steps = [unblock.part("unblock"), power.part("power", isProgram: isProgram)]
    let definitions = ["unblock", "power"].map { PartDefinition($0, BackendDefinition(.stored)) }
    return SequenceBackend(
      SequenceBackendDefinition(steps: definitions, offSteps: offSteps), steps, timeout: timeout,
      loop: stage.loop, readyTime: patience)
  }

  private func error(_ result: Result<Void, FlipError>) -> FlipError? {
    if case .failure(let error) = result { error } else { nil }
  }

  // MARK: Reading

  @Test(
    "is what its steps are",
    arguments: [
      (.on, .on, "on", ""), (.on, .off, "off", ""), (.off, .off, "off", ""),
      (.off, .on, "unrecognised", "unblock is off, while power is not off"),
      (.mixed, .on, "unrecognised", "unblock is mixed, while power is not off"),
      (.on, .mixed, "unrecognised", "power is mixed"),
      (.on, .absent(.noDevice, "no adapter"), "no-device", "power: no adapter"),
      (.absent(.timeout, "it is slow"), .on, "timeout", "unblock: it is slow"),
    ] as [(Reading, Reading, String, String)])
  func reading(first: Reading, last: Reading, summary: String, text: String) throws {
    (unblock.reading, power.reading) = (first, last)
    let backend = sequence()
    stage.start(backend)
    #expect(stage.reports.map(\.summary) == [summary])
    #expect((stage.reports.last?.problem?.text ?? "") == text)
    #expect(try stage.read(backend) == stage.reports.last)
  }

  @Test("is off, with the reason, where a step that is off has taken the last one away")
  func takenAway() throws {
    power.reading = .absent(.noDevice, "no adapter")
    stage.start(sequence())
    let problem = Problem(.noDevice, "power: no adapter")
    #expect(stage.reports == [Reading.off.with(problem)])
  }

  @Test("what is wrong with a step is told beside the value")
  func blocked() throws {
    unblock.reading = Reading.off.with(Problem(.hardBlocked, "the switch is off"))
    stage.start(sequence())
    #expect(stage.reports.last?.state == .off)
    #expect(stage.reports.last?.problem == Problem(.hardBlocked, "unblock: the switch is off"))
  }

  @Test("is on its way when all its steps are")
  func heading() throws {
    unblock.reading = .on
    let backend = sequence()
    stage.start(backend)
    power.become(Reading.off.heading(to: true))
    #expect(stage.reports.last == Reading.off.heading(to: true))
    power.become(.on)
    #expect(stage.reports.last == .on)
    power.become(Reading.on.heading(to: false))
    #expect(stage.reports.last == Reading.on.heading(to: false))
    withExtendedLifetime(backend) {}
  }

  // MARK: Flipping

  @Test("a step that became another without a word is seen to, and on is not said before")
  func stale() throws {
    (unblock.reading, power.reading) = (.on, .off)
    let backend = sequence()
    stage.start(backend)
    unblock.reading = .off
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(unblock.writes == [true] && power.writes == [true])
    #expect(stage.reports.last == .on)
  }

  @Test("on runs the steps in order, off the last one alone, and what is right is left alone")
  func flips() throws {
    let backend = sequence()
    stage.start(backend)
    stage.forgetReports()
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(unblock.writes == [true])
    #expect(power.writes == [true])
    #expect(stage.reports == [.on])
    #expect(try stage.write(backend, false).failureKind == nil)
    #expect(unblock.writes == [true])
    #expect(power.writes == [true, false])
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(unblock.writes == [true])
    #expect(power.writes == [true, false, true])
  }

  @Test("OffSteps run in their own order, and a read meanwhile waits for the last of them")
  func offSteps() throws {
    (unblock.reading, power.reading) = (.on, .on)
    let backend = sequence(offSteps: [1, 0])
    var order: [String] = []
    power.onWrite = { _ in
      order.append("power")
      return .success(())
    }
    unblock.obeys = false
    unblock.onWrite = { _ in
      order.append("unblock")
      return .success(())
    }
    stage.start(backend)
    stage.forgetReports()
    var result: Result<Void, FlipError>?
    backend.write(false, for: .nobody) { result = $0 }
    // The last of Steps is off, and the flip is not over.
    var read: Reading?
    backend.read { read = $0 }
    #expect(order == ["power", "unblock"])
    #expect(result == nil && read == nil && stage.reports == [])
    unblock.become(.off)
    #expect(result?.failureKind == nil && result != nil)
    #expect(read == .off)
    #expect(stage.reports == [.off])
  }

  @Test("the caller's word about being asked is passed on to each step")
  func interactive() throws {
    let backend = sequence()
    stage.start(backend)
    var isDone = false
    backend.write(true, for: .person) { _ in isDone = true }
    try stage.turn { isDone }
    #expect(unblock.origins == [.person] && power.origins == [.person])
  }

  @Test("a step that tells nothing by itself is asked until it is on")
  func confirmed() throws {
    let backend = sequence()
    stage.start(backend)
    power.obeys = false
    var result: Result<Void, FlipError>?
    backend.write(true, for: .nobody) { result = $0 }
    try stage.turn("two looks") { power.reads >= 2 }
    #expect(result == nil)
    power.reading = .on
    try stage.turn("the end") { result != nil }
    #expect(result?.failureKind == nil)
    #expect(power.writes == [true])
  }

  @Test("a step that comes to be only when the one before it is on is waited for")
  func appears() throws {
    power.reading = .absent(.noDevice)
    power.onWrite = { [power] _ in
      power.reading.state == .unknown
        ? .failure(FlipError(.unavailable, "no adapter")) : .success(())
    }
    let backend = sequence()
    stage.start(backend)
    var result: Result<Void, FlipError>?
    backend.write(true, for: .nobody) { result = $0 }
    #expect(power.writes == [true] && result == nil)
    power.become(.off)
    try stage.turn("the end") { result != nil }
    #expect(result?.failureKind == nil)
    #expect(power.writes == [true, true])
    #expect(stage.reports.last == .on)
  }

  @Test("a step that is not ready yet is tried again", arguments: [1, 3])
  func notReady(refusals: Int) throws {
    power.onWrite = { [power] _ in
      power.writes.count <= refusals
        ? .failure(FlipError(.backendFailed, "blocked")) : .success(())
    }
    let backend = sequence()
    stage.start(backend)
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(power.writes.count == refusals + 1)
  }

  @Test("a step that is refused fails at once, by its name, and what was changed is put back")
  func refused() throws {
    power.onWrite = { _ in .failure(FlipError(.accessDenied, "not allowed")) }
    let backend = sequence()
    stage.start(backend)
    stage.forgetReports()
    let error = error(try stage.write(backend, true))
    #expect(error == FlipError(.accessDenied, "step power failed: not allowed"))
    #expect(power.writes == [true])
    #expect(unblock.writes == [true, false])
    #expect(stage.reports == [.off])
  }

  @Test("a program that fails is not run again")
  func program() throws {
    power.onWrite = { _ in .failure(FlipError(.backendFailed, "it exited with 1")) }
    let backend = sequence(isProgram: true)
    stage.start(backend)
    #expect(
      error(try stage.write(backend, true))
        == FlipError(.backendFailed, "step power failed: it exited with 1"))
    #expect(power.writes == [true])
  }

  @Test("nothing is waited for where nothing was changed")
  func absent() throws {
    unblock.reading = .on
    power.reading = .absent(.noService)
    power.onWrite = { _ in .failure(FlipError(.unavailable, "BlueZ is not running")) }
    let backend = sequence()
    stage.start(backend)
    #expect(
      error(try stage.write(backend, true))
        == FlipError(.unavailable, "step power failed: BlueZ is not running"))
    #expect(unblock.writes == [])
  }

  @Test("what can't be put back is told as well")
  func notPutBack() throws {
    power.onWrite = { _ in .failure(FlipError(.accessDenied, "not allowed")) }
    unblock.onWrite = { $0 ? .success(()) : .failure(FlipError(.backendFailed, "it is stuck")) }
    let backend = sequence()
    stage.start(backend)
    #expect(
      error(try stage.write(backend, true))
        == FlipError(
          .accessDenied,
          "step power failed: not allowed; putting unblock back failed: it is stuck"))
  }

  @Test("a step that was mixed is not put back, as it can't be")
  func mixed() throws {
    unblock.reading = .mixed
    power.onWrite = { _ in .failure(FlipError(.accessDenied, "not allowed")) }
    let backend = sequence()
    stage.start(backend)
    #expect(try stage.write(backend, true).failureKind == .accessDenied)
    #expect(unblock.writes == [true])
  }

  @Test("at the deadline the step is named that was not on, with its own words")
  func deadline() throws {
    power.obeys = false
    power.reading = Reading.off.with(Problem(.failed, "the firmware is missing"))
    let backend = sequence(timeout: .milliseconds(200))
    stage.start(backend)
    #expect(
      error(try stage.write(backend, true))
        == FlipError(.timedOut, "step power failed: not on in time: the firmware is missing"))
    #expect(unblock.writes == [true, false])
  }

  @Test("a step that refuses and never gets ready is told in its own words")
  func neverReady() throws {
    power.onWrite = { _ in .failure(FlipError(.backendFailed, "blocked through rfkill")) }
    let backend = sequence(timeout: .milliseconds(300))
    stage.start(backend)
    #expect(
      error(try stage.write(backend, true))
        == FlipError(.timedOut, "step power failed: not on in time: blocked through rfkill"))
  }

  @Test("a step that hangs while it is put back does not keep the caller waiting")
  func hangs() throws {
    let hanging = HangingBackend()
    let steps = [hanging.part, power.part("power")]
    let definitions = ["lazy", "power"].map { PartDefinition($0, BackendDefinition(.stored)) }
    let backend = SequenceBackend(
      SequenceBackendDefinition(steps: definitions), steps, timeout: .milliseconds(200),
      loop: stage.loop)
    power.onWrite = { _ in .failure(FlipError(.accessDenied, "no")) }
    stage.start(backend)
    #expect(
      error(try stage.write(backend, true))
        == FlipError(
          .accessDenied, "step power failed: no; putting lazy back takes too long"))
  }

  @Test("a newer flip takes the place of one under way")
  func superseded() throws {
    power.obeys = false
    let backend = sequence()
    stage.start(backend)
    var results: [FlipError.Kind?] = []
    backend.write(true, for: .nobody) { results.append($0.failureKind) }
    backend.write(false, for: .nobody) { results.append($0.failureKind) }
    try stage.turn("both ends") { results.count == 2 }
    #expect(results == [.superseded, nil])
  }

  @Test("what lies between the steps of a flip and of the newer one is not shown")
  func supersededReading() throws {
    power.obeys = false
    let backend = sequence()
    stage.start(backend)
    stage.forgetReports()
    var read: Reading?
    var readAtEnd: Reading?
    backend.write(true, for: .nobody) { _ in readAtEnd = read }
    // On its way on, and then off again: off is what it was, and on is never said.
    backend.read { read = $0 }
    unblock.become(Reading.on.with(Problem(.failed, "between the steps")))
    power.obeys = true
    backend.write(false, for: .nobody) { _ in }
    #expect(readAtEnd == nil)
    #expect(read?.state == .off)
    #expect(stage.reports.count == 1, "\(stage.reports)")
  }

  @Test("a caller that flips again as soon as its flip is superseded has the last word")
  func supersededAgain() throws {
    power.obeys = false
    let backend = sequence()
    stage.start(backend)
    var ends: [String] = []
    backend.write(true, for: .nobody) {
      ends.append("first: \($0.failureKind.map { "\($0)" } ?? "done")")
      backend.write(true, for: .nobody) {
        ends.append("third: \($0.failureKind.map { "\($0)" } ?? "done")")
      }
    }
    backend.write(false, for: .nobody) {
      ends.append("second: \($0.failureKind.map { "\($0)" } ?? "done")")
    }
    #expect(ends == ["first: superseded", "second: superseded"])
    power.become(.on)
    try stage.turn("the last end") { ends.count == 3 }
    #expect(ends.last == "third: done")
    // The second one was over before it began.
    #expect(!power.writes.contains(false) && !unblock.writes.contains(false))
  }

  @Test("who flips again at the news of a flip's end keeps those who read waiting")
  func flipsAtNews() throws {
    let backend = sequence()
    var isAgain = false
    backend.start { _ in
      guard !isAgain, unblock.writes == [true] else { return }
      isAgain = true
      power.obeys = false
      backend.write(false, for: .nobody) { _ in }
    }
    power.obeys = false
    backend.write(true, for: .nobody) { _ in }
    var read: Reading?
    backend.read { read = $0 }
    power.become(.on)
    #expect(isAgain && read == nil)
    power.become(.off)
    #expect(read == .off)
  }

  @Test("after its stop nothing is called, and its steps have stopped")
  func stopped() throws {
    power.obeys = false
    let backend = sequence()
    stage.start(backend)
    backend.write(true, for: .nobody) { _ in Issue.record("it was answered") }
    backend.read { _ in Issue.record("it was read") }
    stage.forgetReports()
    backend.stop()
    #expect(power.isStopped && unblock.isStopped)
    try stage.loop.turn(atMost: .milliseconds(60))
    #expect(stage.reports == [])
  }
}

/// Turns on at once, and never answers when it is turned off.
@MainActor
private final class HangingBackend: Backend {
  private var reading = Reading.off

  var part: Part { Part(PartDefinition("lazy", BackendDefinition(.stored))) { self } }

  func start(_ report: @escaping (Reading) -> Void) { report(reading) }
  func read(_ completion: @escaping (Reading) -> Void) { completion(reading) }
  func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    guard on else { return }
    reading = .on
    completion(.success(()))
  }
  func stop() {}
}
