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

  @Test("kill -9 in the middle of flips loses no flip that was answered", arguments: 0..<3)
  func killed(_ seed: UInt64) throws {
    var random = SplitMix(state: seed &* 7919 &+ 1)
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    for round in 0..<8 {
      let peer = try Peer(stage)
      let start = try peer.get("IsOn", of: .row, at: .row("lamp")).asBoolean ?? false
      // Alternating wishes, each sent when the one before was answered, up to a random point;
      // then some at once, and the daemon is killed while it works on them.
      var answered = start
      for _ in 0..<Int(random.next() % 4) {
        answered.toggle()
        try peer.setOn("lamp", answered)
      }
      let calls = (0..<Int(random.next() % 3 + 1)).map { index in
        (
          index.isMultiple(of: 2) != answered,
          peer.sendSetOn("lamp", index.isMultiple(of: 2) != answered)
        )
      }
      peer.connection.flush()
      if random.next().isMultiple(of: 2) {
        // In the middle of the first write, as far as a client can know.
        try peer.wait { $0.hasPrefix("rows/lamp Row1 Target=") }
      }
      try stage.stop(SIGKILL)
      try peer.wait("all answers") { calls.allSatisfy { $0.1.outcome != nil } }
      try stage.start()
      let value = try Peer(stage).get("IsOn", of: .row, at: .row("lamp")).asBoolean
      let state = try Peer(stage).state("lamp")
      let done = calls.filter { if case .success = $0.1.outcome { true } else { false } }
      let asked = Set(calls.map(\.0)).union([answered])
      #expect(["on", "off"].contains(state), "round \(round): \(state)\n\(stage.log)")
      #expect(value.map(asked.contains) == true, "round \(round): \(stage.log)")
      if done.count == calls.count, let last = done.last?.0 {
        #expect(value == last, "round \(round): the last answered flip is lost\n\(stage.log)")
      }
      #expect(!stage.log.contains("damaged"), "\(stage.log)")
    }
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
