// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// Rows of type command under the real daemon, with scripts for programs.
@MainActor
@Suite("Rows of programs", .serialized)
struct CommandRowTests {
  private let stage: Stage

  init() throws {
    stage = try Stage(.session)
  }

  /// Makes a shell script; its path. `$1` in it is the stage's directory once `backend` calls it.
  @discardableResult
  private func script(_ name: String, _ text: String) throws -> String {
    let path = stage.directory.path
    return try stage.directory.write(
      "#!/bin/sh\nset -- \(path)\n\(text)\n", to: name, mode: 0o755)
  }

  /// Writes a row of type command.
  private func row(_ id: String, _ backend: String, _ keys: String = "") throws {
    try stage.write(
      "\(id).row", RowText.header(id, keys) + "[Backend]\nType=command\n\(backend)\n")
  }

  /// A row whose State prints the file `knob` and whose On and Off write it.
  private func knobRow(_ id: String = "knob", _ backend: String = "") throws {
    let state = try script("state", "cat $1/knob")
    let on = try script("on", "echo on >$1/knob; echo on >>$1/flips")
    let off = try script("off", "echo off >$1/knob; echo off >>$1/flips")
    try row(id, "State=\(state)\nOn=\(on)\nOff=\(off)\n\(backend)")
  }

  private func text(_ name: String) throws -> String {
    let path = stage.directory.path(name)
    guard Files.exists(path) else { return "" }
    return String(decoding: try Files.read(path, limit: 1 << 20), as: UTF8.self)
  }

  /// Shell text that notes the shell's own number in a file.
  private func note(_ name: String) -> String { "echo $$ >$1/.\(name); mv $1/.\(name) $1/\(name)" }

  /// The number that a script has noted so.
  private func number(in name: String) throws -> Int32 {
    try #require(Int32(FileWatcher.awaitFile(stage.directory.path(name)).dropLast()))
  }

  // MARK: Reading

  @Test("reading never runs On or Off, by whatever it is brought about")
  func tripwires() throws {
    try stage.directory.write("off", to: "knob")
    let watch = try script("watch", "while :; do echo line; sleep 0.05; done")
    try knobRow("knob", "Watch=\(watch)\nInterval=0.1")
    try stage.start()
    let peer = try Peer(stage)
    try peer.awaitState("knob", "off")
    for value in ["on", "off", "gone", "on"] {
      try stage.directory.write(value, to: "knob")
      try peer.call("Refresh", of: .row, at: .row("knob"))
      try peer.awaitState("knob", (value == "gone" ? "unknown (unrecognised)" : value))
    }
    _ = try peer.getAll(.row, at: .row("knob"))
    _ = try peer.getAll(.switches, at: .toggled)
    try peer.call("Reload", of: .manager, at: .toggled)
    try stage.daemon?.send(SIGHUP)
    try peer.setOn("knob", true)
    try knobRow("knob", "Watch=\(watch)\nInterval=0.2")
    try peer.call("Refresh", of: .row, at: .row("knob"))
    try stage.stop()
    try stage.start()
    try peer.waitForDaemon()
    try peer.call("Refresh", of: .row, at: .row("knob"))
    #expect(try text("flips") == "")
    // They would have said so.
    try peer.setOn("knob", false)
    #expect(try text("flips") == "off\n")
  }

  @Test("a flip runs its program once, and is one signal with its value read back")
  func flip() throws {
    try stage.directory.write("off", to: "knob")
    try knobRow()
    try stage.start()
    let peer = try Peer(stage)
    try peer.awaitState("knob", "off")
    _ = try peer.takeJournal()
    try peer.setOn("knob", true)
    try peer.expectJournal([
      "rows/knob Row1 Target='on'", "rows/knob Row1 IsOn=true State='on' Target=''",
      "/org/toggled Switches1 knob=true", "SetOn: true",
    ])
    #expect(try text("flips") == "on\n")
    try peer.toggle("knob")
    #expect(try text("knob") == "off\n")
  }

  @Test("a row is unknown until State first succeeds, never off, and is tried again by itself")
  func unknownAtLogin() throws {
    let state = try script("state", "cat $1/knob || exit 69")
    try row("vpn", "State=\(state)\nOn=true\nOff=true")
    try stage.start()
    let peer = try Peer(stage)
    try peer.awaitState("vpn", "unknown (no-service)")
    #expect(try peer.row("vpn", "Available") == "false")
    try stage.directory.write("on", to: "knob")
    try peer.awaitState("vpn", "on")
    #expect(!peer.journal.contains { $0.contains("'off'") || $0.contains("IsOn=false") })
  }

  @Test("what fails, for want of access or a program, is not off, and says why")
  func failedIsNotOff() throws {
    try row("sudo", "SuccessIsOn=true\nState=sh -c \"echo 'a password is required' >&2; exit 1\"")
    try row("word", "State=sh -c \"echo off; echo 'not allowed' >&2; exit 4\"")
    try row("missing", "State=no-such-program-here --quiet")
    try row("shell", "State=sh -c \"exec no-such-program-here\"")
    try row("killed", "State=sh -c \"kill -9 $$\"")
    try stage.start()
    let peer = try Peer(stage)
    for (id, state, text) in [
      ("sudo", "unknown (failed)", "State's sh exited with status 1: a password is required"),
      ("word", "unknown (failed)", "State's sh exited with status 4: not allowed"),
      (
        "missing", "unknown (not-found)",
        "there is no program no-such-program-here in "
          + "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; "
          + "install it, or give its path"
      ),
      ("killed", "unknown (failed)", "State's sh was killed by signal 9"),
    ] {
      try peer.awaitState(id, state)
      #expect(try peer.get("ReasonText", of: .row, at: .row(id)).asString == text)
    }
    try peer.awaitState("shell", "unknown (not-found)")
    #expect(!peer.journal.contains { $0.contains("'off'") })
  }

  @Test("a setting that drops by itself shows at the next Interval")
  func interval() throws {
    try stage.directory.write("on", to: "knob")
    try knobRow("vpn", "Interval=0.1")
    try stage.start()
    let peer = try Peer(stage)
    try peer.awaitState("vpn", "on")
    try stage.directory.write("off", to: "knob")
    try peer.awaitState("vpn", "off")
  }

  @Test("programs run in English and with a PATH of their own, whatever the daemon was started in")
  func environment() throws {
    let state = try script(
      "state", "[ \"$LC_ALL$LANGUAGE$GREETING\" = C.UTF-8hello ] && printf on && env >$1/env")
    try row("lamp", "State=\(state)")
    try stage.start(environment: [
      "PATH": "/nonexistent", "LC_ALL": "es_ES.UTF-8", "LANG": "es_ES.UTF-8", "LANGUAGE": "es:de",
      "GREETING": "hello",
    ])
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "on")
    let path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
    #expect(try text("env").contains(path))
  }

  // MARK: Without State

  @Test(
    "a row without State is assumed: what it was set to, for every client and through a restart")
  func assumed() throws {
    try row("lamp", "On=true\nOff=true")
    try stage.start()
    let (peer, other) = (try Peer(stage), try Peer(stage))
    #expect(try peer.row("lamp", "Assumed") == "true")
    #expect(try peer.state("lamp") == "unknown (unrecognised)")
    #expect(try peer.row("lamp", "Available") == "true")
    try peer.setOn("lamp", true)
    try other.awaitState("lamp", "on")
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    #expect(try peer.state("lamp") == "on")
    try stage.stop(SIGKILL)
    try stage.start()
    try peer.waitForDaemon()
    #expect(try peer.state("lamp") == "on")
    try peer.toggle("lamp")
    #expect(try peer.state("lamp") == "off")
  }

  @Test("a row without State whose program fails stays what it was")
  func assumedFails() throws {
    try row("lamp", "On=true\nOff=sh -c \"echo 'no such lamp' >&2; exit 1\"")
    try stage.start()
    let peer = try Peer(stage)
    try peer.setOn("lamp", true)
    let error = try peer.error(of: peer.sendSetOn("lamp", false))
    #expect(error.name == "org.toggled.Error.BackendFailed")
    #expect(error.message.contains("Off's sh exited with status 1: no such lamp"))
    #expect(try peer.state("lamp") == "on")
  }

  @Test("a row that was assumed and then stored is not damaged by what was kept")
  func assumedThenStored() throws {
    try row("lamp", "On=true\nOff=true")
    try stage.start()
    let peer = try Peer(stage)
    try peer.setOn("lamp", true)
    try stage.write("lamp.row", RowText.stored())
    try peer.wait { $0.contains("Backend='stored'") }
    try peer.awaitState("lamp", "off")
  }

  // MARK: Programs that hang, and the end

  @Test("a program that hangs is a time-out for its row alone, and is ended")
  func hangs() throws {
    let hang = try script("hang", "\(note("hung"))\nexec sleep 1000")
    try row("slow", "State=echo off\nOn=\(hang)\nOff=true", "Timeout=0.5")
    try row("lamp", "On=true\nOff=true")
    try stage.start()
    let peer = try Peer(stage)
    try peer.read("slow", until: "off")
    let flip = peer.sendSetOn("slow", true)
    #expect(try peer.setOn("lamp", true) == [.boolean(true)])
    #expect(try peer.error(of: flip).name == "org.toggled.Error.TimedOut")
    // Its time may have passed before the program came to anything.
    while try text("hung").isEmpty {
      try peer.read("slow", until: "off")
      #expect(try peer.error(of: peer.sendSetOn("slow", true)).name == "org.toggled.Error.TimedOut")
    }
    try Processes.waitForEnd(of: try number(in: "hung"))
    try peer.read("slow", until: "off")
  }

  @Test("eight States that hang keep no flip waiting")
  func hungReadings() throws {
    for number in 0..<9 { try row("slow\(number)", "State=sleep 1000\nOn=true") }
    try row("lamp", "On=true\nOff=true")
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.setOn("lamp", true) == [.boolean(true)])
  }

  @Test("an On that flips another row through togglectl waits for nobody that waits for it")
  func nested() throws {
    let togglectl = try Products.path("togglectl")
    let go = "DBUS_SESSION_BUS_ADDRESS='\(stage.bus.address)' \(togglectl) --user"
    for number in 0..<9 {
      let on = try script("on\(number)", "\(go) on inner\(number)")
      try row("outer\(number)", "On=\(on)\nOff=true")
      try row("inner\(number)", "On=true\nOff=true")
    }
    let members = (0..<9).map { "outer\($0)" }.joined(separator: ";")
    try stage.write("all.row", RowText.group(members))
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.setOn("all", true) == [.boolean(true)])
    for number in 0..<9 { #expect(try peer.state("inner\(number)") == "on") }
  }

  @Test("no program is left when the daemon leaves, and a flip that waits for one is answered")
  func leaving() throws {
    let state = try script(
      "state", "\(note("state-runs"))\ntrap '' TERM\nwhile :; do sleep 0.1; done")
    let watch = try script("watch", "\(note("watch-runs"))\nsleep 1000 &\nwait")
    let on = try script("on", "\(note("on-runs"))\nexec sleep 1000")
    try row("slow", "State=\(state)")
    try row("watched", "State=echo off\nWatch=\(watch)\nOn=\(on)")
    try stage.start()
    let peer = try Peer(stage)
    try peer.awaitState("watched", "off")
    let flip = peer.sendSetOn("watched", true)
    let names = ["state-runs", "watch-runs", "on-runs"]
    let numbers = try names.map { try number(in: $0) }
    #expect(try stage.stop() == .exited(0))
    for (name, number) in zip(names, numbers) {
      #expect(kill(number, 0) != 0, "\(name)")
    }
    #expect(try peer.error(of: flip).name == "org.toggled.Error.BackendFailed")
  }

  @Test("while Watch is dead the row has the reason failed beside its value, until it is back")
  func deadWatch() throws {
    try stage.directory.write("on", to: "knob")
    let watch = try script(
      "watch", "[ -e $1/good ] || { echo 'no bus' >&2; exit 3; }\nexec sleep 1000")
    try knobRow("knob", "Watch=\(watch)")
    try stage.start()
    let peer = try Peer(stage)
    try peer.awaitState("knob", "on (failed)")
    #expect(
      try peer.get("ReasonText", of: .row, at: .row("knob")).asString
        == "nothing tells of changes: Watch's \(watch) exited with status 3: no bus")
    try stage.directory.write("", to: "good")
    try peer.awaitState("knob", "on")
  }
}
