// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// Another user of the bus, with Scripts/attacker.py: messages in others' names, and whatever costs
/// the daemon memory, descriptors or time.
@Suite("attackers on the bus", .serialized)
@MainActor
struct AttackTests {
  private static let service = [
    "property /radio org.example.Radio1 Powered b false", "own org.example.Radio",
  ]

  private static func row(_ bus: Stage.Scope, _ target: String = "Path=/radio") -> String {
    RowText.header("Radio", "Bus=\(bus.rawValue)") + """
      [Backend]
      Type=dbus
      Bus=\(bus.rawValue)
      Service=org.example.Radio
      \(target)
      Interface=org.example.Radio1
      Property=Powered

      """
  }

  private func attacker(_ stage: Stage, _ arguments: String...) throws -> Program {
    try Program(
      [Python.path, Scripts.path("attacker.py"), stage.address] + arguments, hasInput: true)
  }

  /// Runs an attack to its end.
  private func attack(_ stage: Stage, _ arguments: String...) throws {
    let outcome = try Program.run(
      [Python.path, Scripts.path("attacker.py"), stage.address] + arguments, within: .seconds(60))
    #expect(outcome.status.isSuccess, "\(outcome.error)\n\(stage.log)")
  }

  /// A daemon with rows of a service, of all its objects and of its own.
  private func serve(_ scope: Stage.Scope) throws -> (Stage, SceneService, Peer) {
    let stage = try Stage(
      scope,
      [
        "radio.row": Self.row(scope),
        "radios.row": Self.row(scope, "Implements=org.example.Radio1"),
        "lamp.row": RowText.stored("Lamp", "Bus=\(scope.rawValue)"),
      ])
    let service = try SceneService(stage.address, Self.service)
    try stage.start()
    let peer = try Peer(stage)
    for id in ["radio", "radios"] { try peer.awaitState(id, "off") }
    return (stage, service, peer)
  }

  // MARK: In others' names

  @Test(
    "signals in another's name change nothing, and nothing is read again for them",
    arguments: [Stage.Scope.session, .system])
  func signals(scope: Stage.Scope) throws {
    let (stage, service, peer) = try serve(scope)
    let questions = { service.program.text().split(separator: "\n").count }
    try service.tell([])
    let before = questions()
    peer.forgetJournal()
    try attack(stage, "signals")
    // The daemon has asked what it was led to ask, and the service has answered that before this.
    try peer.settle()
    try service.tell([])
    #expect(questions() == before + 1, "\(service.program.text())")
    #expect(try peer.takeJournal().filter { $0.hasPrefix("rows/") } == [])
    for id in ["radio", "radios"] { #expect(try peer.state(id) == "off") }
    // Its own are believed as before.
    try service.tell("change /radio org.example.Radio1 Powered true")
    for id in ["radio", "radios"] { try peer.awaitState(id, "on") }
  }

  @Test("a message in libdbus's own name does not reach the daemon")
  func local() throws {
    let (stage, service, peer) = try serve(.session)
    try attack(stage, "local")
    #expect(try peer.toggle("lamp") == [.boolean(true)])
    #expect(stage.daemon?.exitStatus == nil)
    withExtendedLifetime(service) {}
  }

  // MARK: What is the daemon's

  @Test("descriptors that come with a call are closed")
  func descriptors() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    try peer.setOn("lamp", true)
    let process = try #require(stage.daemon).processID
    let count = { try Files.list("/proc/\(process)/fd").count }
    let before = try count()
    try attack(stage, "descriptors")
    try peer.settle()
    #expect(try count() == before)
  }

  @Test("calls that wait keep no descriptors open, and nothing of what they came with")
  func hoard() throws {
    let stage = try Stage(.session, ["mute.row": RowText.mute()])
    let service = try MuteService(on: stage)
    defer { withExtendedLifetime(service) {} }
    try stage.start()
    let process = try #require(stage.daemon).processID
    let count = { try Files.list("/proc/\(process)/fd").count }
    // A call that waits has timers made, which stay.
    let peer = try Peer(stage)
    let refresh = peer.send("Refresh", of: .row, at: .row("mute"))
    try peer.settle()
    let before = try count()
    // More than a daemon may have open, and more than libdbus reads before some of it is let go.
    for (what, connections) in [("files", "8"), ("ids", "270")] {
      let hoard = try attacker(stage, "hoard", what, connections)
      try hoard.waitForLine(containing: "full", within: .seconds(60))
      #expect(try count() == before)
      try peer.settle()
      hoard.closeInput()
      try hoard.waitForExit()
    }
    #expect(refresh.outcome == nil)
  }

  @Test("while the bus takes no answers the daemon makes few, and gives all of them afterwards")
  func burst() throws {
    var files: [String: String] = [:]
    let text = String(repeating: "long ", count: 10_000)
    for number in 0..<20 { files["row\(number).row"] = RowText.stored("Row", "Subtitle=\(text)") }
    let stage = try Stage.serving(files)
    let daemon = try #require(stage.daemon)
    let bus = try #require(stage.bus.daemon)
    let before = try Self.memory(of: daemon.processID)
    try daemon.send(SIGSTOP)
    try Self.wait(for: "T", of: daemon.processID)
    // Two million bytes each.
    let attacker = try attacker(stage, "burst", "200")
    try attacker.waitForLine(containing: "sent")
    try bus.send(SIGSTOP)
    try Self.wait(for: "T", of: bus.processID)
    try daemon.send(SIGCONT)
    // A loop sleeps only where it has nothing to do.
    try Self.wait(for: "S", of: daemon.processID)
    let most = try Self.memory(of: daemon.processID)
    // What waits for the bus is 16 MiB and one answer, in a buffer that has twice the room.
    #expect(most < before + 64 << 10, "\(before) KiB before, \(most) KiB now")
    #expect(most > before + 8 << 10, "\(before) KiB before, \(most) KiB now")
    try bus.send(SIGCONT)
    try attacker.write("read\n")
    #expect(try attacker.waitForExit(within: .seconds(60)).isSuccess, "\(attacker.text(.error))")
    let peer = try Peer(stage)
    #expect(try peer.toggle("row1") == [.boolean(true)])
    // It gives back what is free in its first lull after that.
    let deadline = Deadline(after: patience)
    var after = try Self.memory(of: daemon.processID)
    while after >= before + 16 << 10, deadline.pauseForOthers() {
      after = try Self.memory(of: daemon.processID)
    }
    #expect(after < before + 16 << 10, "\(before) KiB before, \(after) KiB after")
  }

  /// Waits until a process is in this state, by the kernel's letter for it.
  private static func wait(for state: String, of process: Int32) throws {
    let deadline = Deadline(after: patience)
    var status = ""
    repeat {
      status = String(
        decoding: try Files.read("/proc/\(process)/status", limit: 1 << 16), as: UTF8.self)
      if status.contains("State:\t\(state)") { return }
    } while deadline.pauseForOthers()
    throw TestFailure("process \(process) is not \(state): \(status)")
  }

  /// KiB that are the process's alone.
  private static func memory(of process: Int32) throws -> Int {
    let text = String(
      decoding: try Files.read("/proc/\(process)/smaps_rollup", limit: 1 << 16), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Private_Dirty:") })
    return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
  }

  @Test("a crowd of clients with all the calls they may have keeps nobody from a flip")
  func crowd() throws {
    let stage = try Stage(
      .session,
      ["mute.row": RowText.mute(), "lamp.row": RowText.stored()])
    let service = try MuteService(on: stage)
    defer { withExtendedLifetime(service) {} }
    try stage.start()
    let crowd = try attacker(stage, "crowd", "500")
    try crowd.waitForLine(containing: "full", within: .seconds(60))
    let peer = try Peer(stage)
    #expect(try peer.toggle("lamp") == [.boolean(true)])
    let call = peer.send("Refresh", of: .row, at: .row("mute"))
    try peer.settle()
    #expect(call.outcome == nil)
    crowd.closeInput()
    try crowd.waitForExit()
    #expect(try peer.toggle("lamp") == [.boolean(false)])
  }

  @Test("an Apply of more ids than there are rows for is refused as a whole")
  func hugeApply() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    let many = (0..<1024).map { ("row\($0)", true) }
    let error = try peer.error(of: peer.sendApply(many + [("lamp", true)]))
    #expect(error.name == .limitsExceeded)
    #expect(error.message == "1025 rows are too many for one call; 1024 at most")
    // Of far more not even all are read.
    let most = (0..<100_000).map { ("row\($0)", true) }
    let refusal = try peer.error(of: peer.sendApply(most))
    #expect(refusal.name == .limitsExceeded)
    #expect(refusal.message == "an array has more than 16384 elements")
    #expect(try peer.state("lamp") == "off")
    try peer.wait(for: peer.sendApply(Array(many.dropLast()) + [("lamp", true)]))
    #expect(try peer.state("lamp") == "on")
  }

  @Test("long ids that no row has are named in the answer, and shortened in its text")
  func longID() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    let id = String(repeating: "x", count: 16 << 10)
    let values = try peer.wait(for: peer.sendApply([(id, true), ("lamp", true)]))
    #expect(values[0].text.contains("'\(id)': (false, "))
    #expect(values[0].text.utf8.count < id.utf8.count + 1000)
    #expect(try peer.state("lamp") == "on")
    // Each call that waits would keep them.
    let error = try peer.error(of: peer.sendApply([(id, true), ("y", true), ("lamp", false)]))
    #expect(error.name == .limitsExceeded)
    #expect(
      error.message
        == "the 2 ids that no row has are too long for one call; 16384 bytes at most")
    #expect(try peer.state("lamp") == "on")
  }
}
