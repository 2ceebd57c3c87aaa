// SPDX-License-Identifier: MIT

import Backends
import DBus
import DBusTypes
import EventLoop
import Settings
import TestSupport
import Testing

/// A real bus, on which a connection of the test's own takes the names and gives them up.
@MainActor
@Suite("a backend that is there while a bus name has an owner")
struct BusNameBackendTests {
  private let stage: Stage
  private let bus: PrivateBus
  private let link: BusLink
  private let service: Connection
  private let inner = ScriptedBackend(.off)

  init() throws {
    stage = try Stage()
    bus = try PrivateBus()
    let own = try Connection(.address(bus.address))
    try own.attach(to: stage.loop)
    link = BusLink(.session, own, on: stage.loop)
    service = try Connection(.address(bus.address))
    try service.attach(to: stage.loop)
  }

  private static let shell: BusName = "org.example.Shell"
  private static let keyboard: BusName = "org.example.Keyboard"

  private func backend(
    _ names: [BusName] = [shell], _ link: BusLink? = nil, _ inner: (any Backend)? = nil
  ) -> BusNameBackend {
    BusNameBackend(names, link: link ?? self.link) { inner ?? self.inner }
  }

  private static let absence = Reading.unreadable(
    Problem(
      Missing(.services, [shell.rawValue]), advice: "start it, or the row switches nothing"))

  private func appear(_ name: BusName = shell) throws {
    #expect(try service.requestName(name) == .primaryOwner)
  }

  @Test("comes and goes with its name, and nothing behind it runs without one")
  func follows() throws {
    let backend = backend()
    stage.start(backend)
    try stage.awaitReport(Self.absence)
    #expect(inner.starts == 0)
    for starts in 1...2 {
      try appear()
      try stage.awaitReport(.off)
      #expect(inner.starts == starts && !inner.isStopped)
      inner.become(.on)
      #expect(stage.reports.last == .on)
      inner.reading = .off
      try service.releaseName(Self.shell)
      try stage.awaitReport(Self.absence)
      #expect(inner.isStopped)
    }
  }

  @Test("while its name has no owner it is neither read nor written")
  func absent() throws {
    let backend = backend()
    stage.start(backend)
    try stage.awaitReport(Self.absence)
    #expect(try stage.read(backend) == Self.absence)
    guard case .failure(let error) = try stage.write(backend, true) else {
      Issue.record("it was flipped")
      return
    }
    #expect(error == FlipError(.unavailable, Self.absence.problem?.text ?? ""))
    #expect(inner.starts == 0 && inner.reads == 0 && inner.writes == [])
  }

  @Test("a first of them is told of in one sentence, each name once", arguments: [2, 3])
  func alternatives(count: Int) throws {
    let names = [[Self.shell], [Self.keyboard], [Self.shell, "org.example.Panel"]].prefix(count)
    let first = FirstBackend(
      names.map { names in
        let definition = PartDefinition(names[0].rawValue, BackendDefinition(.stored))
        return Part(definition) { [self] in backend(names) }
      }, timeout: patience)
    stage.start(first)
    let last = count == 3 ? ", org.example.Panel" : ""
    #expect(
      try stage.awaitProblem(.noService)
        == "none of org.example.Shell, org.example.Keyboard\(last) is running")
  }

  @Test("one of several names is enough, and all are told of where none has an owner")
  func several() throws {
    let backend = backend([Self.shell, Self.keyboard])
    stage.start(backend)
    #expect(
      try stage.awaitProblem(.noService)
        == "none of org.example.Shell, org.example.Keyboard is running; start one of them, or the "
        + "row switches nothing")
    try appear(Self.keyboard)
    try stage.awaitReport(.off)
    try appear()
    try stage.turn("another reading") { inner.reads == 1 }
    try service.releaseName(Self.keyboard)
    try stage.turn("another reading") { inner.reads == 2 }
    #expect(inner.starts == 1 && !inner.isStopped && stage.reports.last == .off)
    try service.releaseName(Self.shell)
    try stage.awaitProblem(.noService)
  }

  @Test(
    "what is asked before the bus has said who is there is answered then", arguments: [true, false])
  func early(isThere: Bool) throws {
    if isThere { try appear() }
    let backend = backend()
    stage.start(backend)
    var answers: [String] = []
    backend.read { answers.append($0.summary) }
    backend.write(true, for: .nobody) { answers.append($0.failureKind == nil ? "ok" : "failed") }
    #expect(answers == [])
    try stage.turn("both answers") { answers.count == 2 }
    #expect(answers == (isThere ? ["off", "ok"] : ["no-service", "failed"]))
  }

  @Test("what is under way as the name loses its owner is answered, once")
  func underWay() throws {
    try appear()
    let silent = SilentBackend()
    let backend = backend([Self.shell], nil, silent)
    stage.start(backend)
    try stage.turn("its start") { silent.report != nil }
    var answers: [String] = []
    backend.read { answers.append($0.summary) }
    backend.write(true, for: .nobody) { answers.append("\(String(describing: $0.failureKind))") }
    try service.releaseName(Self.shell)
    try stage.turn("both answers") { answers.count == 2 }
    #expect(answers == ["no-service", "\(String(describing: FlipError.Kind?.some(.unavailable)))"])
    silent.read?(.on)
    silent.write?(.success(()))
    #expect(answers.count == 2 && stage.reports.last == Self.absence)
  }

  @Test("a bus that goes takes it along, and says so")
  func lost() throws {
    try appear()
    let connection = BusLink(
      .session, at: .address(bus.address), on: stage.loop, notice: stage.note)
    let backend = backend([Self.shell], connection)
    stage.start(backend)
    try stage.awaitReport(.off)
    try bus.stop()
    #expect(try stage.awaitProblem(.noService).contains("the session bus"))
    #expect(inner.isStopped)
  }

  @Test("after its stop nothing is called, and what is behind has stopped")
  func stopped() throws {
    try appear()
    let backend = backend()
    stage.start(backend)
    try stage.awaitReport(.off)
    stage.forgetReports()
    backend.stop()
    #expect(inner.isStopped)
    try service.releaseName(Self.shell)
    #expect(try stage.isQuiet() && stage.reports == [])
  }
}
