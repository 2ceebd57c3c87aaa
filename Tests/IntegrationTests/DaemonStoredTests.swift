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
    var random = SplitMix(state: seed)
    let ids = ["a", "b", "c"]
    let stage = try Stage.serving(
      Dictionary(uniqueKeysWithValues: ids.map { ("\($0).row", RowText.stored()) }))
    // What each row may be: the last value that was answered, and what was asked for since.
    var allowed: [String: Set<Bool>] = ["a": [false], "b": [false], "c": [false]]
    for round in 0..<10 {
      let peer = try Peer(stage)
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let (id, on) = (ids.randomElement(using: &random) ?? "a", Bool.random(using: &random))
        try peer.setOn(id, on)
        allowed[id] = [on]
      }
      _ = try peer.takeJournal()
      let calls = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        let (id, on) = (ids.randomElement(using: &random) ?? "a", Bool.random(using: &random))
        return (id: id, on: on, call: peer.sendSetOn(id, on))
      }
      peer.connection.flush()
      if Bool.random(using: &random) {
        // The daemon is at it, or done, when it has anything to say of these.
        try peer.wait("a sign of the flips") {
          peer.journal.contains { $0.contains("Target='o") }
            || calls.contains { $0.call.outcome != nil }
        }
      }
      try stage.stop(SIGKILL)
      try peer.wait("all answers") { calls.allSatisfy { $0.call.outcome != nil } }
      for (id, on, call) in calls {
        if case .success = call.outcome { allowed[id] = [on] } else { allowed[id]?.insert(on) }
      }
      try stage.start()
      let after = try Peer(stage)
      for id in ids {
        let state = try after.state(id)
        let values = allowed[id] ?? []
        #expect(
          values.map { $0 ? "on" : "off" }.contains(state),
          "round \(round): \(id) is \(state), may be \(values)\n\(stage.log)")
        allowed[id] = [state == "on"]
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
