// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// How the daemon starts, leaves, and what it does when it can't go on.
@MainActor
@Suite("The daemon's life", .serialized)
struct DaemonLifeTests {
  @Test("SIGTERM and SIGINT end it well, with its name released", arguments: [SIGTERM, SIGINT])
  func leaves(_ signal: Int32) throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    #expect(try stage.stop(signal) == .exited(0), "\(stage.log)")
    let owner = peer.send(
      "GetNameOwner", of: .bus, at: "/org/freedesktop/DBus", [.string("org.toggled")], to: .bus)
    #expect(try peer.error(of: owner).name == .nameHasNoOwner)
  }

  @Test("a flip that is being written when SIGTERM comes is answered and kept")
  func leavesWithFlip() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    let call = peer.sendSetOn("lamp", true)
    // Not before the daemon has the call: it says so by the Target, or is done already.
    try peer.wait { $0.hasPrefix("rows/lamp Row1 Target='on'") }
    try stage.stop()
    #expect(try peer.wait(for: call) == [.boolean(true)])
    try stage.start()
    #expect(try Peer(stage).state("lamp") == "on")
  }

  @Test("whoever calls before it has its name is answered with all rows in place")
  func activated() throws {
    let rows = (0..<500).map { ("row\($0).row", RowText.stored()) }
    let stage = try Stage(.session, Dictionary(uniqueKeysWithValues: rows))
    try stage.bus.addService("org.toggled", command: stage.arguments.joined(separator: " "))
    let peer = try Peer(stage)
    // The first has the bus start it, which keeps all of them until the name is owned.
    let calls = (0..<500).map {
      peer.send("GetAll", of: .properties, at: .row("row\($0)"), [.string("org.toggled.Row1")])
    }
    #expect(try peer.getAll(.switches, at: .toggled).count == 500)
    for call in calls { try peer.wait(for: call) }
  }

  @Test("a second one exits with a line that names the first")
  func second() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let first = try #require(stage.daemon?.processID)
    let outcome = try Program.run(try stage.arguments, environment: stage.environment)
    #expect(outcome.status == .exited(1))
    let lines = outcome.error.split(separator: "\n")
    #expect(lines.count == 1, "\(outcome.error)")
    #expect(outcome.error.contains("process \(first)"), "\(outcome.error)")
    #expect(outcome.output == "")
    #expect(try Peer(stage).state("lamp") == "off")
  }

  @Test("a lost bus ends it with a line and a failure, so that it is started again")
  func lostBus() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let daemon = try #require(stage.daemon)
    try stage.bus.stop()
    #expect(try daemon.waitForExit() == .exited(1))
    #expect(stage.log.contains("lost the session bus"), "\(stage.log)")
  }

  @Test("without a bus it says so in a line and fails")
  func noBus() throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored()])
    try stage.bus.stop()
    let outcome = try Program.run(try stage.arguments, environment: stage.environment)
    #expect(outcome.status == .exited(1))
    #expect(outcome.error.hasPrefix("toggled: can't connect to the session bus: "))
    #expect(outcome.error.split(separator: "\n").count == 1)
  }

  @Test("an address that is none is named, with one that would do")
  func badAddress() throws {
    let outcome = try Program.run(
      [try Products.path("toggled"), "--session", "--address", "garbage"],
      environment: ["HOME": "/nonexistent"])
    #expect(outcome.status == .exited(1))
    #expect(
      outcome.error.hasPrefix(
        "toggled: can't connect to the session bus: 'garbage' is no address of a bus ("))
    #expect(outcome.error.hasSuffix("; expected such as unix:path=/run/user/1000/bus\n"))
  }

  @Test("what it was to print and can't is a failure", arguments: ["--help", "--version"])
  func unwritable(_ option: String) throws {
    for (redirection, reason) in [
      (">&-", "Bad file descriptor"), (">/dev/full", "No space left on device"),
    ] {
      let outcome = try Program.run([
        "sh", "-c", "exec \"$@\" \(redirection)", "sh", try Products.path("toggled"), option,
      ])
      #expect(outcome.status == .exited(1))
      #expect(outcome.error == "toggled: can't write to standard output: \(reason)\n")
    }
  }

  @Test("it owns its name before a hung backend has answered, and other rows work meanwhile")
  func hungBackend() throws {
    let stage = try Stage(
      .session, ["mute.row": RowText.mute(), "lamp.row": RowText.stored()])
    let service = try MuteService(on: stage)
    defer { withExtendedLifetime(service) {} }
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.state("mute") == "unknown")
    #expect(try peer.row("mute", "Available") == "false")
    #expect(try peer.setOn("lamp", true) == [.boolean(true)])
  }

  @Test("RunOnChange runs once a change of state, and not for the first reading, nor for a loss")
  func runOnChange() throws {
    let stage = try Stage(.session)
    let log = try stage.directory.write("", to: "log")
    let script = try stage.directory.write(
      "#!/bin/sh\necho \"$TOGGLED_ROW $TOGGLED_STATE $1\" >>\(log)\n", to: "script", mode: 0o755)
    let knob = try stage.directory.write("0\n", to: "knob")
    try stage.write("knob.row", RowText.file(knob, "RunOnChange=\(script) word"))
    try stage.start()
    let peer = try Peer(stage)
    let written = try FileWatcher(log)
    try peer.setOn("knob", true)
    try written.wait(for: "knob on word\n")
    try peer.setOn("knob", true)
    try Files.remove(knob)
    try peer.wait { $0.contains("State='unknown'") }
    try stage.directory.write("1\n", to: "knob")
    try peer.wait {
      $0.contains("Reason=''") && $0.contains("State='on'") && $0.contains("Available")
    }
    try peer.setOn("knob", false)
    try written.wait(for: "knob on word\nknob off word\n")
  }

  @Test("LogControl1 changes what is logged")
  func logLevel() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    func setLevel(_ level: String) -> Peer.Call {
      peer.sendSet("LogLevel", of: .logControl, at: .logControl, to: .string(level))
    }
    try peer.wait(for: setLevel("err"))
    try peer.setOn("lamp", true)
    try peer.wait(for: setLevel("info"))
    try peer.setOn("lamp", false)
    try stage.waitForLog("row lamp turned off by ")
    #expect(!stage.log.contains("row lamp turned on"))
    #expect(try peer.error(of: setLevel("loud")).message.contains("loud"))
    #expect(try peer.get("LogLevel", of: .logControl, at: .logControl) == .string("info"))
  }

  @Test("a text of a row file can't forge a line of the log")
  func forgedLog() throws {
    let stage = try Stage.serving(["bad.row": "[Row]\nTitle=a\n[Backend]\nType=x\u{1b}[2Jy\n"])
    try stage.stop()
    #expect(!stage.log.utf8.contains(0x1b))
    #expect(stage.log.contains("bad.row:4"), "\(stage.log)")
  }

  @Test("with its standard streams closed it serves, and its log goes into no other descriptor")
  func closedStreams() throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored(), "bad.row": "nonsense"])
    let peer = try Peer(stage)
    try stage.launch(within: ["sh", "-c", "exec \"$@\" 0>&- 1>&- 2>&-", "sh"])
    try peer.waitForDaemon()
    #expect(try peer.setOn("lamp", true) == [.boolean(true)])
  }

  @Test("a reader of its log that reads no more keeps nobody on the bus waiting")
  func fullLog() throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored(), "bad.row": "nonsense"])
    let peer = try Peer(stage)
    // A FIFO that this process alone holds open, filled to the brim.
    let script = """
      mkfifo "$0" && exec 2<>"$0" && dd if=/dev/zero of="$0" oflag=nonblock bs=4096 2>/dev/null
      exec "$@"
      """
    try stage.launch(within: ["sh", "-c", script, stage.directory.path("log")])
    try peer.waitForDaemon()
    #expect(try peer.setOn("lamp", true) == [.boolean(true)])
  }
}
