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
    let late = SilentBackend()
    let backend = FirstBackend([gnome.part("gnome"), late.part], timeout: patience)
    stage.start(backend)
    late.report?(.off)
    var answer: Result<Void, FlipError>?
    backend.write(true, for: .nobody) { answer = $0 }
    gnome.become(.on)
    #expect(!late.isStopped)
    late.write?(.success(()))
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

  nonisolated private static func services(_ names: String...) -> Problem {
    Problem(Missing(.services, names), advice: "start it")
  }

  nonisolated private static func unit(_ name: String) -> Problem {
    Problem(Missing(.units, [name]))
  }

  @Test(
    "none is there: what is missing for the same reason is told of once",
    arguments: [
      ([services("a"), services("b")], "none of a, b is running"),
      ([services("a"), services("b", "c"), services("a")], "none of a, b, c is running"),
      ([unit("a"), unit("b")], "there is no unit a or b"),
      (
        [services("a"), Problem(.notFound, "no x"), services("b"), unit("u")],
        "none of a, b is running; there is no unit u; two: no x"
      ),
      ([Problem(.notFound, "no x"), services("b")], "b is not running; one: no x"),
      ([Problem(.noDevice, "no radio"), Problem(.noDevice, "no radio")], "no radio"),
      ([services("a"), services("a")], "a is not running; start it"),
      ([Problem(.noDevice, "no radio")], "one: no radio"),
    ])
  func sameReason(_ problems: [Problem], _ expected: String) throws {
    let parts = zip(["one", "two", "three", "four"], problems).map { name, problem in
      ScriptedBackend(.unreadable(problem)).part(name)
    }
    stage.start(FirstBackend(parts, timeout: patience))
    #expect(stage.reports.map(\.problem?.text) == [expected])
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
