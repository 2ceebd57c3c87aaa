// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// What `stored` rows keep, through ends that nobody asked for.
@MainActor
@Suite("Stored values", .serialized)
struct DaemonStoredTests {
  @Test("values are there after a restart")
  func restart() throws {
    let stage = try Stage.serving([
      "lamp.row": RowText.stored(), "fan.row": RowText.stored("Fan", "Default=on"),
    ])
    let peer = try Peer(stage)
    try peer.setOn("lamp", true)
    try peer.setOn("fan", false)
    try stage.stop()
    try stage.start()
    let after = try Peer(stage)
    #expect(try [after.state("lamp"), after.state("fan")] == ["on", "off"])
  }

  @Test("a damaged file is set aside and told, and the row is unknown until it is flipped")
  func damaged() throws {
    let stage = try Stage(
      .session, ["lamp.row": RowText.stored(), "fan.row": RowText.stored("Fan")])
    try stage.directory.write("\u{0}\u{1}garbage", to: "state/lamp")
    try stage.directory.write("on\n", to: "state/fan")
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.state("lamp") == "unknown (unrecognised)")
    #expect(try peer.row("lamp", "ReasonText").contains("\(stage.state)/lamp.damaged"))
    #expect(stage.log.contains("\(stage.state)/lamp.damaged"), "\(stage.log)")
    #expect(try stage.storedFiles() == ["fan", "lamp.damaged"])
    #expect(try peer.state("fan") == "on")
    #expect(try peer.setOn("lamp", false) == [.boolean(true)])
    #expect(try peer.state("lamp") == "off")
    try stage.stop()
    try stage.start()
    #expect(try Peer(stage).state("lamp") == "off")
  }

  @Test(
    "contents that a crash of the machine may leave are damage, not a value",
    arguments: ["", "o", "on\non\n", "ON\n", String(repeating: "o", count: 4096)])
  func contents(_ text: String) throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored("Lamp", "Default=on")])
    try stage.directory.write(text, to: "state/lamp")
    try stage.start()
    #expect(try Peer(stage).state("lamp") == "unknown (unrecognised)")
  }

  @Test("temporary files that a crash left are no values")
  func leftovers() throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored()])
    for name in [".lamp.Xy12Zz", ".lamp.tmp", "lamp.new", "other"] {
      try stage.directory.write("on\n", to: "state/\(name)")
    }
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.state("lamp") == "off")
    try peer.setOn("lamp", true)
    #expect(try peer.state("lamp") == "on")
  }

  @Test("a link in the place of a value is not followed, and the flip puts a value there")
  func linkedValue() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    try peer.setOn("lamp", true)
    let elsewhere = try stage.directory.write("off\n", to: "elsewhere")
    let value = "\(stage.state)/lamp"
    // By a flip to off that does not look, then by one to on that comes after a look.
    for isRead in [false, true] {
      try Files.rename(value, to: stage.directory.path("moved"))
      try #require(symlink(elsewhere, value) == 0)
      if isRead {
        try peer.call("Refresh", of: .row, at: .row("lamp"))
        #expect(try peer.state("lamp") == "unknown (unrecognised)")
        #expect(try Files.status("\(value).damaged", followingLinks: false).kind == .symbolicLink)
      }
      #expect(try peer.setOn("lamp", isRead) == [.boolean(true)])
      #expect(try Files.status(value, followingLinks: false).kind == .regular)
      #expect(try Files.read(elsewhere, limit: 8) == Array("off\n".utf8))
    }
  }

  @Test(
    "a link in the place of the state directory is not followed, and flips fail until it is gone",
    arguments: [Stage.Scope.session, .system])
  func linkedDirectory(_ scope: Stage.Scope) throws {
    let stage = try Stage.serving(
      ["lamp.row": RowText.stored("Lamp", "Bus=\(scope.rawValue)")], on: scope)
    let peer = try Peer(stage)
    try peer.setOn("lamp", true)
    let other = PathParts(try stage.directory.write("off\n", to: "other/lamp")).directory
    let moved = stage.directory.path("moved")
    try Files.rename(stage.state, to: moved)
    try #require(symlink(other, stage.state) == 0)
    let error = try peer.error(of: peer.sendSetOn("lamp", false))
    #expect(error.name == "org.toggled.Error.BackendFailed")
    #expect(error.message.contains("\(stage.state) is no safe place"), "\(error)")
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    #expect(try peer.state("lamp") == "unknown (no-access)")
    #expect(try peer.row("lamp", "IsOn") == "true")
    #expect(try Files.list(other) == ["lamp"])
    #expect(try Files.read("\(other)/lamp", limit: 8) == Array("off\n".utf8))
    try Files.remove(stage.state)
    try Files.rename(moved, to: stage.state)
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    #expect(try peer.state("lamp") == "on")
    #expect(try peer.setOn("lamp", false) == [.boolean(true)])
  }

  @Test("a state directory that can't be written fails the flip, with the reason")
  func readOnly() throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored()])
    // A file where the directory should be refuses root as well.
    try stage.directory.write("", to: "state")
    try stage.start()
    let peer = try Peer(stage)
    let error = try peer.error(of: peer.sendSetOn("lamp", true))
    #expect(error.name == "org.toggled.Error.BackendFailed")
    #expect(error.message.contains(stage.state), "\(error)")
    #expect(try peer.row("lamp", "IsOn") == "false")
  }

  @Test("a read-only state directory gives BackendFailed to a daemon that is not root")
  func denied() throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored()])
    try stage.directory.makeDirectory("state")
    for path in [stage.bus.directory.path, stage.directory.path] {
      _ = try systemCall { chmod(path, 0o755) }
    }
    let daemon = try Program(
      ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + stage.arguments,
      environment: stage.environment)
    try daemon.waitForLine(containing: "rows on the session bus", on: .error)
    let peer = try Peer(stage)
    _ = try peer.takeJournal()
    let error = try peer.error(of: peer.sendSetOn("lamp", true))
    #expect(error.name == "org.toggled.Error.BackendFailed")
    #expect(error.message.contains("\(stage.state)/lamp: Permission denied"), "\(error)")
    // Either the flip was over before its Target could be seen, or both are seen.
    let signals = try peer.takeJournal().filter { $0.hasPrefix("rows/") }
    #expect(
      signals.isEmpty || signals == ["rows/lamp Row1 Target='on'", "rows/lamp Row1 Target=''"])
    #expect(try stage.storedFiles() == [])
  }

  @Test("Reset goes back to the default, and needs one")
  func reset() throws {
    let stage = try Stage.serving([
      "lamp.row": RowText.stored("Lamp", "Default=on"), "fan.row": RowText.stored("Fan"),
    ])
    let peer = try Peer(stage)
    try peer.setOn("lamp", false)
    #expect(try peer.call("Reset", of: .row, at: .row("lamp")) == [.boolean(true)])
    #expect(try peer.call("Reset", of: .row, at: .row("lamp")) == [.boolean(false)])
    #expect(try peer.state("lamp") == "on")
    let error = try peer.error(of: peer.send("Reset", of: .row, at: .row("fan")))
    #expect(error.name == .invalidArgs)
  }

  @Test("a locked row keeps its value, refuses by name, and puts a stored value right")
  func locked() throws {
    let stage = try Stage(
      .session, ["lamp.row": RowText.stored("Lamp", "Default=on\nLocked=true")])
    try stage.directory.write("off\n", to: "state/lamp")
    try stage.start()
    let peer = try Peer(stage)
    try peer.wait("the lock") { (try? peer.state("lamp")) == "on (locked)" }
    for call in [
      peer.sendSetOn("lamp", false), peer.send("Toggle", of: .row, at: .row("lamp")),
      peer.sendSet("lamp", of: .switches, at: .toggled, to: .boolean(false)),
    ] {
      let error = try peer.error(of: call)
      #expect(error.name == "org.toggled.Error.Locked")
      #expect(error.message.contains("lamp"))
    }
    #expect(try peer.setOn("lamp", true) == [.boolean(false)])
  }

  @Test("Invert turns a stored value round, its default with it")
  func inverted() throws {
    let stage = try Stage.serving([
      "lamp.row": RowText.stored("Lamp", "Default=on", backend: "Invert=true")
    ])
    let peer = try Peer(stage)
    #expect(try peer.state("lamp") == "on")
    try peer.setOn("lamp", false)
    #expect(try peer.state("lamp") == "off")
    try stage.stop()
    try stage.start()
    #expect(try Peer(stage).state("lamp") == "off")
  }
}

/// Where a daemon that is not told keeps its values.
@MainActor
@Suite("the state directory", .serialized)
struct DaemonStateDirectoryTests {
  /// Starts a daemon that is not told where, and waits for its rows.
  private func serve(_ stage: Stage, _ environment: [String: String]) throws -> Program {
    let arguments = [
      try Products.path("toggled"), "--\(stage.scope.rawValue)", "--rows", stage.rows,
      "--address", stage.bus.address,
    ]
    return try Program(
      arguments, environment: stage.environment.merging(environment) { $1 })
  }

  @Test("of a session is the user's: what is relative does not count, and the home is made use of")
  func session() throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored()])
    for (variable, path) in [("", ".local/state"), ("relative", ".local/state"), ("/", "xdg")] {
      let value = variable == "/" ? stage.directory.path("xdg") : variable
      let daemon = try serve(stage, ["XDG_STATE_HOME": value])
      try daemon.waitForLine(containing: "rows on the session bus", on: .error)
      let peer = try Peer(stage)
      try peer.toggle("lamp")
      #expect(Files.exists(stage.directory.path("\(path)/toggled/lamp")))
      try daemon.send(SIGTERM)
      #expect(try daemon.waitForExit().isSuccess)
    }
  }

  @Test("of a session without any is said to be missing", arguments: ["", "home"])
  func missing(_ home: String) throws {
    let stage = try Stage(.session)
    let daemon = try serve(stage, ["XDG_STATE_HOME": "state", "HOME": home])
    #expect(try !daemon.waitForExit().isSuccess)
    #expect(
      daemon.text(.error).contains("set HOME or XDG_STATE_HOME, or give --state DIR"),
      "\(daemon.text(.error))")
  }

  @Test("that can't be trusted is told of at the start, and the rows that need none are served")
  func untrusted() throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored()])
    let knob = try stage.directory.write("0\n", to: "knob")
    try stage.write("knob.row", RowText.file(knob))
    let path = try stage.directory.makeDirectory("state")
    _ = try systemCall { chmod(path, 0o777) }
    try stage.start()
    try stage.waitForLog("nothing can be kept: \(path) is no safe place")
    let peer = try Peer(stage)
    #expect(try peer.state("lamp") == "unknown (no-access)")
    #expect(try peer.row("lamp", "ReasonText").contains("chmod go-w"))
    #expect(try peer.setOn("knob", true) == [.boolean(true)])
  }

  @Test("of the system is no matter of an environment", .enabled(if: geteuid() == 0, "needs root"))
  func system() throws {
    let id = "a_row_of_a_test"
    let stage = try Stage(.system, ["\(id).row": RowText.stored("Row", "Bus=system")])
    try stage.directory.write("on\n", to: "toggled/\(id)")
    let daemon = try serve(
      stage, ["XDG_STATE_HOME": stage.directory.path, "STATE_DIRECTORY": stage.directory.path])
    try daemon.waitForLine(containing: "rows on the system bus", on: .error)
    #expect(try Peer(stage).state(id) == "off")
  }
}

/// Random numbers that come again with the same seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
