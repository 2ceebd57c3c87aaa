// SPDX-License-Identifier: MIT

import Backends
import DBus
import DBusTypes
import EventLoop
import Glibc
import Settings
import System
import TestSupport
import Testing

/// A row's way to a bus that is not there, says nothing, comes later or starts anew.
@MainActor
@Suite("a row of a bus that comes and goes")
struct BusLinkTests {
  private let stage: Stage
  private let socket: String

  init() throws {
    stage = try Stage()
    socket = stage.directory.path("bus")
  }

  private func link(_ path: String, greetingTime: Duration = patience) -> BusLink {
    BusLink(
      .system, at: .address("unix:path=\(path)"), on: stage.loop, greetingTime: greetingTime,
      notice: stage.note)
  }

  /// A row of the bus's own property: whether anything is in its list of features is always true.
  private func backend(_ link: BusLink, timeout: Duration = patience) throws -> DBusBackend {
    let definition = DBusBackendDefinition(
      bus: .system, service: "org.freedesktop.DBus", target: .object("/org/freedesktop/DBus"),
      interface: "org.freedesktop.DBus", property: "Interfaces",
      on: [try VariantText.parse("['org.freedesktop.DBus.Monitoring']")],
      off: [try VariantText.parse("['no']")])
    return DBusBackend(definition, timeout: timeout, loop: stage.loop, link: link)
  }

  private func text(_ result: Result<Void, FlipError>) -> String {
    if case .failure(let error) = result { error.message } else { "" }
  }

  @Test("no bus: the row is without a service, and so says a flip")
  func absent() throws {
    let backend = try backend(link(socket))
    stage.start(backend)
    #expect(stage.reports == [])
    let problem = try stage.awaitProblem(.noService)
    #expect(problem.hasPrefix("the system bus can't be reached: "), "\(problem)")
    let flip = try stage.write(backend, true)
    #expect(flip.failureKind == .unavailable)
    #expect(text(flip).hasPrefix("the system bus can't be reached: "))
    #expect(try stage.read(backend).summary == "no-service")
    #expect(stage.notices.count == 1, "\(stage.notices)")
  }

  @Test("a bus that never speaks keeps nobody waiting longer than the row's Timeout")
  func silent() throws {
    let listener = try BareSocket(socket)
    let backend = try backend(link(socket), timeout: .milliseconds(200))
    stage.start(backend)
    let read = try stage.read(backend)
    #expect(
      read
        == .unreadable(
          Problem(.noService, "the system bus can't be reached: it does not answer")))
    let flip = try stage.write(backend, true)
    #expect(flip.failureKind == .unavailable)
    #expect(text(flip) == "the system bus can't be reached: it does not answer")
    withExtendedLifetime(listener) {}
  }

  @Test(
    "a bus that hangs gets one connection, however often it is asked for", arguments: [false, true])
  func hangs(isFull: Bool) throws {
    let listener = try BareSocket(socket, isFull: isFull)
    let link = link(socket, greetingTime: .milliseconds(50))
    let backend = try backend(link, timeout: .milliseconds(1))
    stage.start(backend)
    let problem = try stage.awaitProblem(.noService)
    #expect(problem == "the system bus can't be reached: it does not answer")
    for _ in 0..<20 {
      #expect(try stage.read(backend).problem?.text == problem)
      #expect(try stage.write(backend, true).failureKind == .unavailable)
    }
    // A row that comes now is told at once.
    let late = Follower(link)
    #expect(late.problems == [problem])
    // Longer than the first pauses between attempts.
    var isTime = false
    let timer = stage.loop.after(.milliseconds(600)) { isTime = true }
    try stage.turn("some time") { isTime }
    if isFull { try listener.drain() }
    let peer = try listener.accept()
    #expect(try listener.acceptAll().isEmpty)
    #expect(try !peer.isClosed)
    #expect(stage.notices == [problem])
    withExtendedLifetime(timer) {}
  }

  @Test("a bus that hung and goes on is read by itself")
  func thaws() throws {
    let bus = try PrivateBus()
    let path = String(bus.address.dropFirst("unix:path=".count))
    let link = link(path, greetingTime: .milliseconds(50))
    let backend = try backend(link)
    try bus.daemon?.send(SIGSTOP)
    stage.start(backend)
    try stage.awaitProblem(.noService)
    try bus.daemon?.send(SIGCONT)
    try stage.turn("a reading") { stage.reports.last?.problem?.reason != .noService }
    #expect(stage.notices.last == "the system bus is there")
  }

  @Test("a bus that closes each connection is said to do so")
  func closing() throws {
    let listener = try BareSocket(socket)
    let backend = try backend(link(socket))
    stage.start(backend)
    _ = try listener.accept()
    let problem = try stage.awaitProblem(.noService)
    #expect(problem == "the system bus can't be reached: it closed the connection")
  }

  @Test("a bus that comes later is noticed by itself, wherever its directory was missing")
  func later() throws {
    let bus = try PrivateBus()
    let target = PathParts(String(bus.address.dropFirst("unix:path=".count))).directory
    // The path leads to the bus once the link is there.
    let backend = try backend(link(stage.directory.path("run/dbus/bus")))
    stage.start(backend)
    try stage.awaitProblem(.noService)
    try stage.directory.makeDirectory("run")
    try stage.loop.turn(atMost: .zero)
    _ = try Program.run(["ln", "-s", target, stage.directory.path("run/dbus")])
    try stage.turn("a reading") { stage.reports.last?.problem?.reason != .noService }
    #expect(stage.notices.last == "the system bus is there")
  }

  @Test("a bus that starts anew is lost and then read again, and nobody is left waiting")
  func restarts() throws {
    let bus = try PrivateBus()
    let link = link(String(bus.address.dropFirst("unix:path=".count)))
    let (first, second) = (try backend(link), try backend(link))
    stage.start(first)
    second.start { _ in }
    try stage.turn("a reading") { !stage.reports.isEmpty }
    let before = stage.reports.last
    var answers = 0
    // More than are made at once: some are under way, and some wait.
    for _ in 0..<100 { link.reach(within: patience) { _ in first.read { _ in answers += 1 } } }
    try bus.stop()
    #expect(try stage.awaitProblem(.noService) == "the system bus went away")
    try stage.turn("the answers") { answers == 100 }
    try bus.restart()
    try stage.turn("the bus to be back") { stage.reports.last == before }
    #expect(stage.notices.last == "the system bus is there")
  }

  @Test("a refresh connects at once, without waiting for a pause to end")
  func refresh() throws {
    let listener = try BareSocket(socket)
    let link = link(socket)
    let backend = try backend(link)
    stage.start(backend)
    // Pauses grow with each failure.
    for _ in 0..<3 {
      var isAnswered = false
      link.reach(within: patience) { _ in isAnswered = true }
      _ = try listener.accept()
      try stage.turn("the end of an attempt") { isAnswered }
    }
    #expect(stage.notices.count == 1, "\(stage.notices)")
  }

  @Test("who stops follows no more, and the link lets go of it")
  func stopped() throws {
    let link = link(socket)
    weak var gone: DBusBackend?
    do {
      let backend = try backend(link)
      gone = backend
      stage.start(backend)
      backend.stop()
    }
    #expect(gone == nil)
    var isAnswered = false
    link.reach(within: patience) { _ in isAnswered = true }
    try stage.turn { isAnswered }
    #expect(stage.reports == [])
  }
}

/// Somebody who follows a link.
@MainActor
private final class Follower {
  private(set) var problems: [String] = []

  init(_ link: BusLink) {
    link.follow(self) { [unowned self] outcome in
      if case .failure(let problem) = outcome { problems.append(problem.text) }
    }
  }
}
