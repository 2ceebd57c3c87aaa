// SPDX-License-Identifier: MIT

import Backends
import Settings
import TestSupport
import Testing

@MainActor
@Suite("a first of several")
struct FirstBackendTests {
  private let stage: Stage
  private let gnome = ScriptedBackend(.absent(.notFound, "there is no schema"))
  private let mako = ScriptedBackend(.absent(.noService, "mako is not running"))
  private let backend: FirstBackend

  init() throws {
    stage = try Stage()
    backend = FirstBackend([gnome.part("gnome"), mako.part("mako")], timeout: patience)
  }

  @Test("the first that is there serves, and one that can't be read is there")
  func serving() throws {
    mako.reading = .on
    stage.start(backend)
    #expect(stage.reports == [.on])
    gnome.become(.off)
    #expect(stage.reports == [.on, .off])
    // The other goes on by itself.
    mako.become(.mixed)
    #expect(stage.reports.last == .off)
    gnome.become(.unreadable(Problem(.timeout, "it does not answer")))
    #expect(
      stage.reports.last == .unreadable(Problem(.timeout, "gnome: it does not answer")))
    gnome.become(.absent(.noService))
    #expect(stage.reports.last == .mixed)
  }

  @Test("what is behind the one that serves is not started, and ended when that one comes")
  func behind() throws {
    gnome.reading = .on
    stage.start(backend)
    #expect(mako.starts == 0)
    gnome.become(.absent(.noService))
    mako.become(.off)
    #expect(mako.starts == 1 && stage.reports.last == .off)
    gnome.become(.on)
    #expect(mako.isStopped && stage.reports.last == .on)
    // It comes anew, and is asked anew.
    gnome.become(.absent(.noService))
    #expect(mako.starts == 2 && stage.reports.last == .off)
  }

  @Test("one that is being flipped is ended after its answer")
  func behindAsked() throws {
    let late = LateBackend()
    let backend = FirstBackend([gnome.part("gnome"), late.part], timeout: patience)
    stage.start(backend)
    late.report?(.off)
    var answer: Result<Void, FlipError>?
    backend.write(true, for: .nobody) { answer = $0 }
    gnome.become(.on)
    #expect(!late.isStopped)
    late.answer?(.success(()))
    #expect(late.isStopped && answer?.failureKind == nil && answer != nil)
  }

  @Test("a flip takes the action of the one that serves, or of all where none does")
  func actions() throws {
    let backend = FirstBackend(
      [gnome.part("gnome", action: "org.example.gnome"), mako.part("mako")], timeout: patience)
    stage.start(backend)
    let actions = { backend.polkitActions(rowAction: "org.example.row") }
    #expect(actions() == ["org.example.gnome", "org.example.row"])
    mako.become(.off)
    #expect(actions() == ["org.example.row"])
    gnome.become(.off)
    #expect(actions() == ["org.example.gnome"])
  }

  @Test("none is there: all are told of, with why")
  func none() throws {
    stage.start(backend)
    let problem = Problem(.noService, "gnome: there is no schema; mako: mako is not running")
    #expect(stage.reports.last == .unreadable(problem))
    #expect(try stage.read(backend) == .unreadable(problem))
  }

  @Test(
    "none is there, all for the same reason: it is said once",
    arguments: [
      (["a is not running", "b is not running"], "a is not running, nor is b"),
      (["a is not there", "b is not there", "c is not there"], "a is not there, nor are b and c"),
      (["there is no unit a", "there is no unit b"], "there is no unit a or b"),
      (["there is no radio", "there is no radio"], "there is no radio"),
      (["a is not running", "b is not there"], "one: a is not running; two: b is not there"),
      (["a is b", "c is b"], "one: a is b; two: c is b"),
      (["no a here", "no b here"], "one: no a here; two: no b here"),
      (["a is not running"], "one: a is not running"),
    ])
  func sameReason(_ texts: [String], _ expected: String) throws {
    let parts = zip(["one", "two", "three"], texts).map { name, text in
      ScriptedBackend(.absent(.noService, text)).part(name)
    }
    stage.start(FirstBackend(parts, timeout: patience))
    #expect(stage.reports == [.unreadable(Problem(.noService, expected))])
  }

  @Test("before the preferred ones have been read nothing is said")
  func unread() throws {
    let slow = SilentBackend()
    let backend = FirstBackend(
      [slow.part, mako.part("mako")], timeout: patience)
    mako.reading = .on
    stage.start(backend)
    #expect(stage.reports == [])
    slow.report?(.absent(.noService))
    #expect(stage.reports == [.on])
  }

  @Test("a read asks one after the other until one is there")
  func read() throws {
    mako.reading = .on
    stage.start(backend)
    #expect(try stage.read(backend) == .on)
    #expect(gnome.reads == 1 && mako.reads == 1)
    gnome.become(.off)
    #expect(try stage.read(backend) == .off)
    #expect(gnome.reads == 2 && mako.reads == 1)
    // It came without a word.
    gnome.become(.absent(.notFound))
    gnome.reading = .off
    #expect(try stage.read(backend) == .off)
  }

  @Test("a flip goes to the one that serves, and its failure names it")
  func flip() throws {
    mako.reading = .off
    stage.start(backend)
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(mako.writes == [true] && gnome.writes == [])
    gnome.become(.off)
    gnome.onWrite = { _ in .failure(FlipError(.accessDenied, "the key is locked")) }
    guard case .failure(let error) = try stage.write(backend, true) else {
      Issue.record("it did not fail")
      return
    }
    #expect(error == FlipError(.accessDenied, "gnome: the key is locked"))
    #expect(mako.writes == [true])
  }

  @Test("while none is there a flip is tried on each, as a flip may start a service")
  func starting() throws {
    stage.start(backend)
    gnome.onWrite = { _ in .failure(FlipError(.unavailable, "no schema")) }
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(gnome.writes == [true] && mako.writes == [true])
    #expect(try stage.read(backend) == .on)
  }

  @Test("none can be flipped: all say why")
  func flippingNone() throws {
    stage.start(backend)
    for backend in [gnome, mako] {
      backend.onWrite = { _ in .failure(FlipError(.unavailable, "not there")) }
    }
    guard case .failure(let error) = try stage.write(backend, true) else {
      Issue.record("it did not fail")
      return
    }
    #expect(error == FlipError(.unavailable, "gnome: not there; mako: not there"))
  }

  @Test("one that is there and refuses ends the trying")
  func refusing() throws {
    stage.start(backend)
    gnome.onWrite = { _ in .failure(FlipError(.accessDenied, "no")) }
    #expect(try stage.write(backend, true).failureKind == .accessDenied)
    #expect(mako.writes == [])
  }

  @Test("a part's on and off can change places")
  func inverted() throws {
    let backend = FirstBackend([mako.part("mako", isInverted: true)], timeout: patience)
    mako.reading = .on
    stage.start(backend)
    #expect(stage.reports == [.off])
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(mako.writes == [false])
  }

  @Test("after its stop nothing is called, and its parts have stopped")
  func stopped() throws {
    stage.start(backend)
    stage.forgetReports()
    backend.stop()
    gnome.become(.on)
    #expect(stage.reports == [])
    #expect(gnome.isStopped && mako.isStopped)
  }
}

/// Answers a write when it is told to.
@MainActor
private final class LateBackend: Backend {
  var report: ((Reading) -> Void)?
  var answer: ((Result<Void, FlipError>) -> Void)?
  var isStopped = false

  var part: Part { Part(PartDefinition("late", BackendDefinition(.stored))) { self } }

  func start(_ report: @escaping (Reading) -> Void) { self.report = report }
  func read(_ completion: @escaping (Reading) -> Void) {}
  func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) { answer = completion }
  func stop() { isStopped = true }
}

/// Says nothing by itself.
@MainActor
private final class SilentBackend: Backend {
  var report: ((Reading) -> Void)?

  var part: Part { Part(PartDefinition("slow", BackendDefinition(.stored))) { self } }

  func start(_ report: @escaping (Reading) -> Void) { self.report = report }
  func read(_ completion: @escaping (Reading) -> Void) {}
  func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {}
  func stop() {}
}
