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

/// What logind may answer and when, by a service in this process; logind itself is in
/// IntegrationTests.
@MainActor
@Suite("an inhibit row's backend")
struct InhibitBackendTests {
  /// Answers Inhibit when it is told to.
  @MainActor
  final class Logind {
    /// The calls that await their answer, oldest first, and what each asked for.
    var calls: [(invocation: Invocation, arguments: [String])] = []

    func take(_ invocation: Invocation, _ arguments: [String]) {
      calls.append((invocation, arguments))
    }

    /// With `Answer` as what Inhibit is said to answer with.
    static func table<Answer: DBusValue>(answering: Answer.Type) -> InterfaceTable<Logind> {
      InterfaceTable(
        "org.freedesktop.login1.Manager",
        methods: [
          .deferred(
            "Inhibit", in: ["what", "who", "why", "mode"], out: ["pipe"], Answer.self
          ) { (logind, call, what: String, who: String, why: String, mode: String) in
            logind.take(call, [what, who, why, mode])
          }
        ])
    }

    func answer(_ value: some DBusValue) {
      calls.removeFirst().invocation.reply(value)
    }
  }

  /// A named pipe, as logind's are: who has its number may come back to it.
  @MainActor
  final class Fifo {
    private let path: String
    private let loop: EventLoop
    private var reader: FileDescriptor?
    private var watch: DescriptorWatch?

    init(_ name: String, on stage: Stage) throws {
      path = stage.directory.path(name)
      loop = stage.loop
      try #require(mkfifo(path, 0o600) == 0)
      try openReader()
    }

    func openReader() throws {
      let end = try FileDescriptor.open(path, [.readOnly, .nonBlocking])
      let number = end.raw
      reader = consume end
      // The last to let go may be the bus: the loop is to turn then.
      watch = try loop.watch(number, for: .hangup) { [weak self] _ in self?.watch?.update([]) }
    }

    func closeReader() {
      watch?.cancel()
      reader = nil
    }

    func writer() throws -> UnixDescriptor {
      UnixDescriptor(
        adopting: try FileDescriptor.open(path, [.writeOnly, .nonBlocking]).release()
      ) { _ = Glibc.close($0) }
    }

    /// Whether nobody has the writing end open any more.
    var isReleased: Bool {
      // Reading what nobody has written yet would block.
      switch reader {
      case .some(let end): (try? end.read(upTo: 1)) == []
      case nil: false
      }
    }
  }

  private let stage: Stage
  private let bus: PrivateBus
  private let link: BusLink
  private let service: Connection
  private let tree: ObjectTree
  private let logind = Logind()
  private let fifo: Fifo

  init() throws {
    stage = try Stage()
    bus = try PrivateBus(.system)
    let own = try Connection(.address(bus.address))
    try own.attach(to: stage.loop)
    link = BusLink(.system, own, on: stage.loop)
    service = try Connection(.address(bus.address))
    tree = ObjectTree(service)
    try service.attach(to: stage.loop)
    fifo = try Fifo("inhibitor", on: stage)
  }

  private func appear<Answer: DBusValue>(
    answering type: Answer.Type = UnixDescriptor.self
  ) throws {
    tree.export(
      at: "/org/freedesktop/login1", Logind.table(answering: type).bound(to: logind))
    _ = try service.requestName("org.freedesktop.login1")
  }

  private func disappear() throws {
    tree.unexport("/org/freedesktop/login1")
    try service.releaseName("org.freedesktop.login1")
  }

  private func backend(
    _ link: BusLink? = nil, timeout: Duration = patience
  ) -> InhibitBackend {
    let definition = InhibitBackendDefinition(
      what: [.sleep, .lidSwitch], who: "someone", why: "for a test", mode: .block)
    return InhibitBackend(definition, timeout: timeout, loop: stage.loop, link: link ?? self.link)
  }

  /// A backend that has been started and holds the fifo's inhibitor.
  private func holdingBackend(_ link: BusLink? = nil) throws -> InhibitBackend {
    try appear()
    let backend = backend(link)
    stage.start(backend)
    try stage.awaitReport(.off)
    let write = write(backend, true)
    try stage.turn("the call") { !logind.calls.isEmpty }
    logind.answer(try fifo.writer())
    try stage.turn("the end of the write") { write.result != nil }
    try #require(write.result?.failureKind == nil)
    #expect(try stage.read(backend) == .on)
    return backend
  }

  @MainActor
  private final class Write {
    var result: Result<Void, FlipError>?
  }

  private func write(_ backend: InhibitBackend, _ on: Bool, interactive: Bool = false) -> Write {
    let write = Write()
    backend.write(on, for: interactive ? .person : .nobody) { write.result = $0 }
    return write
  }

  private func error(_ write: Write) throws -> FlipError {
    try stage.turn("the end of a write") { write.result != nil }
    guard case .failure(let error) = try #require(write.result) else {
      throw TestFailure("the write went well")
    }
    return error
  }

  // MARK: Holding

  @Test("asks for what the row file says, and lets go when it is turned off")
  func holds() throws {
    try appear()
    let backend = backend()
    stage.start(backend)
    try stage.awaitReport(.off)
    for interactive in [true, false] {
      let write = write(backend, true, interactive: interactive)
      try stage.turn("the call") { !logind.calls.isEmpty }
      let call = try #require(logind.calls.first)
      #expect(call.arguments == ["sleep:handle-lid-switch", "someone", "for a test", "block"])
      #expect(call.invocation.allowsInteractiveAuthorization == interactive)
      logind.answer(try fifo.writer())
      try stage.turn("the end of the write") { write.result != nil }
      #expect(try stage.read(backend) == .on)
      #expect(!fifo.isReleased)
    }
    #expect(try stage.write(backend, false).failureKind == nil)
    #expect(try stage.read(backend) == .off)
    try stage.turn("the pipe's end") { fifo.isReleased }
  }

  @Test("lets go when the row goes")
  func stops() throws {
    let backend = try holdingBackend()
    #expect(!fifo.isReleased)
    backend.stop()
    try stage.turn("the pipe's end") { fifo.isReleased }
  }

  @Test("takes nothing that comes when it is off again, or gone", arguments: [false, true])
  func lateAnswer(_ isGone: Bool) throws {
    try appear()
    let backend = backend()
    stage.start(backend)
    let write = write(backend, true)
    try stage.turn("the call") { !logind.calls.isEmpty }
    if isGone {
      backend.stop()
    } else {
      #expect(try stage.write(backend, false).failureKind == nil)
    }
    logind.answer(try fifo.writer())
    #expect(try error(write).kind == .unavailable)
    try stage.turn("the pipe's end") { fifo.isReleased }
  }

  // MARK: Losing it

  @Test("is off when logind lets go of it and stays")
  func drop() throws {
    let backend = try holdingBackend()
    fifo.closeReader()
    try stage.awaitReport(.off)
    // It is told once, and at once when it happens again.
    try fifo.openReader()
    #expect(try stage.read(backend) == .on)
    stage.forgetReports()
    fifo.closeReader()
    try stage.awaitReport(.off)
    #expect(stage.reports == [.off])
    backend.stop()
  }

  @Test(
    "is unknown while logind is gone, and then what the new one has made of it",
    arguments: [true, false])
  func restart(_ isTakenUp: Bool) throws {
    let backend = try holdingBackend()
    try disappear()
    fifo.closeReader()
    let text = try stage.awaitProblem(.noService)
    #expect(text.contains("org.freedesktop.login1"))
    #expect(try stage.read(backend).problem?.reason == .noService)
    if isTakenUp { try fifo.openReader() }
    try appear()
    try stage.awaitReport(isTakenUp ? .on : .off)
    backend.stop()
  }

  @Test("holds on while the bus is away")
  func busLoss() throws {
    let link = BusLink(.system, at: .address(bus.address), on: stage.loop) { _ in }
    let backend = try holdingBackend(link)
    try bus.stop()
    try stage.awaitProblem(.noService)
    #expect(!fifo.isReleased)
    try bus.restart()
    let service = try Connection(.address(bus.address))
    _ = try service.requestName("org.freedesktop.login1")
    try service.attach(to: stage.loop)
    try stage.awaitReport(.on)
    try bus.stop()
    try stage.awaitProblem(.noService)
    // Turning it off needs no bus.
    #expect(try error(write(backend, false)).kind == .unavailable)
    try stage.turn("the pipe's end") { fifo.isReleased }
    backend.stop()
  }

  @Test("lets go while logind is gone, and says that it is")
  func offWithoutLogind() throws {
    let backend = try holdingBackend()
    try disappear()
    try stage.awaitProblem(.noService)
    let error = try error(write(backend, false))
    #expect(error.kind == .unavailable)
    #expect(
      error.message == "org.freedesktop.login1 is not running; nothing is inhibited")
    try stage.turn("the pipe's end") { fifo.isReleased }
  }

  // MARK: Nothing to hold

  @Test("starts logind for a flip, and never to read")
  func absence() throws {
    let mark = stage.directory.path("started")
    let script = try stage.directory.write(
      "#!/bin/sh\n>\(mark)\nexit 1\n", to: "service.sh", mode: 0o755)
    try bus.addService("org.freedesktop.login1", command: script)
    let backend = backend()
    stage.start(backend)
    try stage.awaitProblem(.noService)
    #expect(try stage.read(backend).problem?.reason == .noService)
    #expect(!Files.exists(mark))
    let error = try error(write(backend, true))
    #expect(error.kind == .unavailable)
    #expect(error.message.contains("org.freedesktop.login1 is not running and can't be started"))
    #expect(Files.exists(mark))
  }

  @Test(
    "gives logind's refusal in its own words",
    arguments: [
      (ErrorName.accessDenied, FlipError.Kind.accessDenied),
      (.interactiveAuthorizationRequired, .interactiveAuthorizationRequired),
      ("org.freedesktop.login1.OperationInProgress", .backendFailed),
      (.invalidArgs, .backendFailed),
    ])
  func refusal(_ name: ErrorName, _ kind: FlipError.Kind) throws {
    try appear()
    let backend = backend()
    stage.start(backend)
    let write = write(backend, true)
    try stage.turn("the call") { !logind.calls.isEmpty }
    logind.calls.removeFirst().invocation.fail(DBusError(name, "not while I say so"))
    let error = try error(write)
    #expect(error.kind == kind)
    #expect(error.message.contains("org.freedesktop.login1"))
    #expect(error.message.contains("not while I say so"))
    #expect(try stage.read(backend) == .off)
  }

  @Test("takes nothing but a pipe for an answer")
  func wrongAnswers() throws {
    try appear(answering: String.self)
    let backend = backend()
    stage.start(backend)
    for answersWithFile in [false, true] {
      if answersWithFile {
        try disappear()
        try appear()
      }
      let write = write(backend, true)
      try stage.turn("the call") { !logind.calls.isEmpty }
      if answersWithFile {
        let path = try stage.directory.write("", to: "file")
        logind.answer(
          UnixDescriptor(adopting: try FileDescriptor.open(path, .readOnly).release()) {
            _ = Glibc.close($0)
          })
      } else {
        logind.answer("a pipe")
      }
      let error = try error(write)
      #expect(error.kind == .backendFailed)
      #expect(error.message.contains("answered Inhibit with something else than a pipe"))
      #expect(try stage.read(backend) == .off)
    }
  }

  @Test("waits for a logind that hangs as long as the row does")
  func silence() throws {
    try appear()
    let backend = backend(timeout: .milliseconds(500))
    stage.start(backend)
    #expect(try error(write(backend, true)).kind == .timedOut)
    // What it gives now nobody takes.
    try stage.turn("the call") { !logind.calls.isEmpty }
    logind.answer(try fifo.writer())
    try stage.turn("the pipe's end") { fifo.isReleased }
    backend.stop()
  }
}
