// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import System
import TestSupport
import Testing

/// Rows that the administrator has fixed, through the bus and from outside.
@MainActor
@Suite("A lock", .serialized)
struct DaemonLockTests {
  private static let lockedOn = "Locked=true\nDefault=on"
  private static let lockedOff = "Locked=true\nDefault=off"

  /// A stage with a row `knob` over a file with this text, and other rows.
  private func stage(
    _ text: String, _ keys: String, _ others: [String: String] = [:], serving: Bool = true
  ) throws -> Stage {
    let stage = try Stage(.session, others)
    let path = try stage.directory.write(text, to: "knob")
    try stage.write("knob.row", RowText.file(path, keys))
    if serving { try stage.start() }
    return stage
  }

  private func knob(_ stage: Stage) throws -> String {
    String(decoding: try Files.read(stage.directory.path("knob"), limit: 8), as: UTF8.self)
  }

  /// Somebody else writes the file.
  private func change(_ stage: Stage, to text: String) throws {
    try stage.directory.write(text, to: "knob")
  }

  private func wait(_ stage: Stage, _ peer: Peer, for text: String) throws {
    try peer.wait("the file to hold \(text)") { (try? knob(stage)) == text }
    try peer.wait("the row to be at rest") { (try? peer.row("knob", "Target")) == #"''"# }
  }

  @Test("puts its row right at the start of the daemon, and again when it is changed from outside")
  func enforced() throws {
    let stage = try stage("0\n", Self.lockedOn)
    let peer = try Peer(stage)
    try wait(stage, peer, for: "1\n")
    #expect(try peer.state("knob") == "on (locked)")
    #expect(stage.log.contains("row knob turned on by its lock"), "\(stage.log)")
    try change(stage, to: "0\n")
    try wait(stage, peer, for: "1\n")
    #expect(try peer.row("knob", "ReasonText") == "'locked by the administrator'")
  }

  @Test("leaves its row to a program that changes it at once, and says so until it is gone")
  func contested() throws {
    let stage = try stage("1\n", Self.lockedOn)
    let peer = try Peer(stage)
    try peer.wait("the first reading") { (try? peer.state("knob")) == "on (locked)" }
    try change(stage, to: "0\n")
    try wait(stage, peer, for: "1\n")
    try change(stage, to: "0\n")
    let line = try stage.waitForLog("row knob is locked on by the administrator, but off")
    #expect(line.contains("something else changes it"))
    try peer.wait("the row to tell") { (try? peer.state("knob")) == "off (locked)" }
    #expect(try peer.row("knob", "ReasonText").contains("but off: something else changes it"))
    // Refresh reads, and a client can bring it to no other value.
    try peer.call("Refresh", of: .row, at: .row("knob"))
    #expect(try knob(stage) == "0\n")
    #expect(try peer.error(of: peer.send("Toggle", of: .row, at: .row("knob"))).name == .locked)
    let shown = try Program.run(
      [try Products.path("togglectl"), "--user", "show", "knob"], environment: stage.environment)
    #expect(shown.output.contains("but off: something else changes it"), "\(shown.output)")
    // Whoever it was is gone.
    try peer.call("Reload", of: .manager, at: .toggled)
    try wait(stage, peer, for: "1\n")
    #expect(try peer.row("knob", "ReasonText") == "'locked by the administrator'")
    #expect(stage.log.split(separator: "\n").count { $0.contains("but off") } == 1)
  }

  @Test("that comes by a drop-in while the daemon runs counts at once, and goes with it")
  func dropIn() throws {
    let stage = try stage("1\n", "")
    let peer = try Peer(stage)
    try peer.wait("the first reading") { (try? peer.state("knob")) == "on" }
    try stage.directory.makeDirectory("rows/knob.row.d")
    try stage.write("knob.row.d/lock.conf", "[Row]\n\(Self.lockedOff)\n")
    try wait(stage, peer, for: "0\n")
    #expect(try peer.state("knob") == "off (locked)")
    let error = try peer.error(of: peer.sendSetOn("knob", true))
    #expect(error.name == .locked)
    let file = "\(stage.rows)/knob.row.d/lock.conf"
    #expect(error.message.hasSuffix("locked off by the administrator; Locked= is set in \(file)"))
    try stage.remove("knob.row.d/lock.conf")
    try peer.wait("the lock to go") { (try? peer.state("knob")) == "off" }
    #expect(try peer.setOn("knob", true) == [.boolean(true)])
  }

  @Test("refuses every way to flip its row, and lets be what is so already")
  func everyWay() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored("Lamp", Self.lockedOn)])
    let peer = try Peer(stage)
    #expect(try peer.state("lamp") == "on (locked)")
    #expect(try peer.setOn("lamp", true) == [.boolean(false)])
    #expect(try peer.call("Reset", of: .row, at: .row("lamp")) == [.boolean(false)])
    let off = Value.variant(.boolean(false))
    let calls = [
      peer.sendSetOn("lamp", false), peer.send("Toggle", of: .row, at: .row("lamp")),
      peer.send(
        "Set", of: .properties, at: .row("lamp"),
        [.string("org.toggled.Row1"), .string("IsOn"), off]),
      peer.send(
        "Set", of: .properties, at: .toggled,
        [.string("org.toggled.Switches1"), .string("lamp"), off]),
    ]
    for call in calls {
      let error = try peer.error(of: call)
      #expect(error.name == .locked && error.message.contains("locked on by the administrator"))
    }
    #expect(try stage.storedFiles() == [])
    for verb in ["off", "toggle"] {
      let outcome = try Program.run(
        [try Products.path("togglectl"), "--user", verb, "lamp"], environment: stage.environment)
      #expect(outcome.code == 5, "\(outcome)")
    }
  }

  @Test("on a value that is stored counts over what is stored, and keeps that in step")
  func stored() throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored("Lamp", Self.lockedOff)])
    try stage.directory.write("on\n", to: "state/lamp")
    try stage.start()
    let peer = try Peer(stage)
    try peer.wait("the lock") { (try? peer.state("lamp")) == "off (locked)" }
    try stage.stop()
    let text = try Files.read("\(stage.state)/lamp", limit: 8)
    #expect(String(decoding: text, as: UTF8.self) == "off\n")
  }

  @Test("on a member fails a flip of its group, which names the member, and flips the others")
  func group() throws {
    let stage = try stage(
      "1\n", Self.lockedOn,
      ["lamp.row": RowText.stored("Lamp", "Default=on"), "all.row": RowText.group("lamp;knob")])
    let peer = try Peer(stage)
    try peer.wait("the first reading") { (try? peer.state("all")) == "on" }
    let error = try peer.error(of: peer.sendSetOn("all", false))
    #expect(error.name == .locked)
    #expect(error.message.contains("row knob is locked on"), "\(error.message)")
    #expect(try [peer.state("all"), peer.state("lamp")] == ["mixed", "off"])
    #expect(try peer.setOn("all", true) == [.boolean(true)])
  }

  @Test("on a group keeps its members together")
  func lockedGroup() throws {
    let stage = try stage(
      "1\n", "",
      [
        "lamp.row": RowText.stored("Lamp", "Default=on"),
        "all.row": RowText.group("lamp;knob")
          .replacing("[Backend]", with: "\(Self.lockedOff)\n[Backend]"),
      ])
    let peer = try Peer(stage)
    try wait(stage, peer, for: "0\n")
    try peer.wait("the lock") { (try? peer.state("all")) == "off (locked)" }
    #expect(try peer.state("lamp") == "off")
    // It is the lock of the group: a member that is turned on is turned off again.
    try peer.setOn("lamp", true)
    try peer.wait("the lock") { (try? peer.state("lamp")) == "off" }
  }

  @Test("on a radio fails airplane mode, which names the radio and leaves the others as they were")
  func airplane() throws {
    let plane = "[Row]\nTitle=Plane\n[Backend]\nType=airplane\nMembers=lamp;knob\n"
    let stage = try stage(
      "1\n", Self.lockedOn,
      ["lamp.row": RowText.stored("Lamp", "Default=on"), "plane.row": plane])
    let peer = try Peer(stage)
    try peer.wait("the first reading") { (try? peer.state("knob")) == "on (locked)" }
    let error = try peer.error(of: peer.sendSetOn("plane", true))
    #expect(error.name == .locked && error.message.contains("row knob is locked on"), "\(error)")
    #expect(try [peer.state("plane"), peer.state("lamp")] == ["off", "on"])
  }

  @Test("on a radio that is to be off is no hindrance to airplane mode, which leaves it so")
  func airplaneOff() throws {
    let plane = "[Row]\nTitle=Plane\n[Backend]\nType=airplane\nMembers=lamp;knob\n"
    let stage = try stage(
      "0\n", Self.lockedOff,
      ["lamp.row": RowText.stored("Lamp", "Default=on"), "plane.row": plane])
    let peer = try Peer(stage)
    try peer.setOn("plane", true)
    #expect(try peer.state("lamp") == "off")
    try peer.setOn("plane", false)
    #expect(try [peer.state("lamp"), peer.state("knob")] == ["on", "off (locked)"])
  }

  @Test("keeps its row on beside another of an exclusive group, and the log says so")
  func exclusive() throws {
    let stage = try stage(
      "1\n", Self.lockedOn,
      [
        "lamp.row": RowText.stored(),
        "one.row": RowText.group("lamp;knob", backend: "Exclusive=true"),
      ])
    let peer = try Peer(stage)
    try peer.wait("the first reading") { (try? peer.state("knob")) == "on (locked)" }
    try peer.setOn("lamp", true)
    #expect(try [peer.state("lamp"), peer.state("knob")] == ["on", "on (locked)"])
    #expect(stage.log.contains("row knob stays on beside lamp"), "\(stage.log)")
  }

  @Test("on a row whose service is not there yet is enforced when it comes")
  func absent() throws {
    let stage = try Stage(.session)
    let path = stage.directory.path("knob")
    try stage.write("knob.row", RowText.file(path, Self.lockedOn))
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.state("knob") == "unknown (locked)")
    #expect(try peer.row("knob", "ReasonText").contains(path))
    try change(stage, to: "0\n")
    try wait(stage, peer, for: "1\n")
    #expect(try peer.state("knob") == "on (locked)")
  }

  @Test(
    "on a row of alternatives or of steps counts for all of it",
    arguments: [
      "[Backend]\nType=first\nOf=a;b\n[Backend.a]\nType=file\nPath=/nonexistent/knob\n"
        + "[Backend.b]\nType=file\nPath=%\n",
      "[Backend]\nType=sequence\nSteps=a;b\n[Backend.a]\nType=file\nPath=%\nOn=1\nOff=0\n"
        + "[Backend.b]\nType=file\nPath=%\n",
    ])
  func compound(_ backend: String) throws {
    let stage = try Stage(.session)
    let path = try stage.directory.write("0\n", to: "knob")
    let row = "[Row]\nTitle=Knob\n\(Self.lockedOn)\n\(backend)On=1\nOff=0\n"
    try stage.write("knob.row", row.replacing("%", with: path))
    try stage.start()
    let peer = try Peer(stage)
    try wait(stage, peer, for: "1\n")
    #expect(try peer.state("knob") == "on (locked)")
    #expect(try peer.error(of: peer.sendSetOn("knob", false)).name == .locked)
  }

  @Test("without a value to lock at is a mistake of the row file")
  func noDefault() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored("Lamp", "Locked=true")])
    let peer = try Peer(stage)
    let errors = try peer.get("ConfigErrors", of: .manager, at: .toggled).text
    #expect(errors.contains("Default is missing"), "\(errors)")
  }
}

extension ErrorName {
  fileprivate static let locked: ErrorName = "org.toggled.Error.Locked"
}
