// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// Rows of programs of a daemon that is confined as a system's service is.
@MainActor
@Suite("Rows of programs of a confined daemon", .serialized, .needsMachine)
struct CommandUnitTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.shared.get()
  }

  private func row(_ backend: String) -> [String: String] {
    ["lamp.row": RowText.header("Lamp", "Bus=system") + "[Backend]\nType=command\n\(backend)\n"]
  }

  /// A row whose State prints /etc/lamp and whose On and Off write it, where the daemon may not.
  private func knob(_ more: String = "") throws -> [String: String] {
    try machine.write("off\n", to: "/etc/lamp")
    return row(
      "State=cat /etc/lamp\nOn=sh -c 'echo on >/etc/lamp'\nOff=sh -c 'echo off >/etc/lamp'\n\(more)"
    )
  }

  @Test("a flip does what the daemon may not, and is one signal with its value read back")
  func flip() throws {
    let stage = try ServiceStage(machine, try knob())
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "off")
    _ = try peer.takeJournal()
    try peer.setOn("lamp", true)
    try peer.expectJournal([
      "rows/lamp Row1 Target='on'", "rows/lamp Row1 IsOn=true State='on' Target=''",
      "/org/toggled Switches1 lamp=true", "SetOn: true",
    ])
    #expect(try machine.succeed("cat", "/etc/lamp") == "on\n")
    try peer.toggle("lamp")
    #expect(try machine.succeed("cat", "/etc/lamp") == "off\n")
  }

  @Test("a Watch tells of what is outside of the daemon's sandbox")
  func watch() throws {
    let follower = try Sleeper("follower", in: machine)
    // It shows all that there is, and so whatever is new by the time that it looks.
    let stage = try ServiceStage(
      machine, try knob("Watch=sh -c '\(follower.command) & exec tail -n +1 -F /etc/lamp'"))
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "off")
    try follower.waitForStart()
    try machine.succeed("sh", "-c", "echo on >/etc/lamp")
    try peer.awaitState("lamp", "on")
    try machine.succeed("sh", "-c", "echo off >/etc/lamp")
    try peer.awaitState("lamp", "off")
    try stage.stop()
    try follower.waitForEnd()
    try machine.waitForEnd(ofUnits: "toggled-run-*")
  }

  @Test("what fails, hangs or is not there is said as on a bus without systemd")
  func failures() throws {
    let stage = try ServiceStage(
      machine,
      row(
        """
        State=sh -c 'echo off'
        On=sh -c 'echo "no bulb" >&2; exit 7'
        Off=no-such-program
        """))
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "off")
    let error = try peer.error(of: peer.sendSetOn("lamp", true))
    #expect(error.name == "org.toggled.Error.BackendFailed")
    #expect(error.message == "row lamp: On's sh exited with status 7: no bulb")
    try stage.directory.write(
      try #require(row("State=/no/such/state\nOn=true\nOff=true")["lamp.row"]),
      to: "rows/lamp.row")
    try peer.awaitState("lamp", "unknown (not-found)")
    #expect(try peer.row("lamp", "ReasonText") == "'there is no program /no/such/state'")
    let hanger = try Sleeper("hanger", in: machine)
    try stage.directory.write(
      "[Row]\nTitle=Lamp\nBus=system\nTimeout=1\n[Backend]\nType=command\nState=\(hanger.command)\n"
        + "On=true\nOff=true\n", to: "rows/lamp.row")
    try peer.awaitState("lamp", "unknown (timeout)")
    let text = try peer.row("lamp", "ReasonText")
    #expect(text == "'\(hanger.command) did not end within 0.9 s'")
  }

  @Test("a Watch that floods is read a pipe's worth at a time, and ten times a second at most")
  func flood() throws {
    try machine.write("", to: "/etc/runs")
    let runs = try machine.start(["tail", "-n", "+1", "-F", "/etc/runs"])
    let start = ContinuousClock.now
    let stage = try ServiceStage(
      machine,
      row(
        "State=sh -c 'echo run >>/etc/runs; echo on'\nOn=true\nOff=true\n"
          + "Watch=sh -c 'echo $$ >/etc/flooder; exec yes'"))
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "on")
    for _ in 0..<8 { try runs.waitForLine { $0 == "run" } }
    // More than the pipe has room for, so it is read; and no more than that ten times a second,
    // however long it takes on however busy a machine.
    let deadline = Deadline(after: patience)
    var written = 0.0
    while written <= 65536, !deadline.hasPassed {
      let text = try machine.succeed(
        "sh", "-c", "sed -n 's/^wchar: //p' /proc/$(cat /etc/flooder)/io")
      written = try #require(Double(text.dropLast()))
    }
    let tenths = (ContinuousClock.now - start) / .milliseconds(100)
    #expect(written > 65536 && written < 65536 * (tenths + 2), "\(written) in \(tenths)")
  }

  @Test("after many runs no unit, descriptor, match rule or reference is left")
  func leavesNothing() throws {
    let stage = try ServiceStage(machine, try knob())
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "off")
    let pid = try machine.succeed(
      "systemctl", "show", "--value", "--property=MainPID", ServiceStage.unit
    ).dropLast()
    func descriptors() throws -> Int {
      try machine.succeed("ls", "/proc/\(pid)/fd").split(separator: "\n").count
    }
    func rules() throws -> String {
      let owner = try machine.succeed(
        "busctl", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
        "GetNameOwner", "s", "org.toggled")
      let stats = try machine.succeed(
        "busctl", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
        "org.freedesktop.DBus.Debug.Stats", "GetConnectionStats", "s",
        String(owner.dropFirst(3).dropLast(2)))
      let words = stats.split(separator: " ")
      let index = try #require(words.firstIndex(of: "\"MatchRules\""))
      return String(words[index + 2])
    }
    for on in [true, false] { try peer.setOn("lamp", on) }
    try machine.waitForEnd(ofUnits: "toggled-run-*")
    let before = (try descriptors(), try rules())
    for _ in 0..<50 { try peer.call("Refresh", of: .row, at: .row("lamp")) }
    for _ in 0..<25 { for on in [true, false] { try peer.setOn("lamp", on) } }
    // No longer than it takes systemd to hear of the last one.
    try machine.waitForEnd(ofUnits: "toggled-run-*")
    try peer.settle()
    #expect(try descriptors() == before.0)
    #expect(try rules() == before.1)
    #expect(try machine.succeed("ls", "/run/systemd/transient").contains("toggled-run") == false)
    let log = try machine.succeed("journalctl", "--quiet", "--output=cat")
    #expect(!log.contains("Started toggled-run"))
  }

  @Test("the programs of a daemon that is killed end with it, and none is run again")
  func killed() throws {
    try machine.write("", to: "/etc/flips")
    let follower = try Sleeper("follower", in: machine)
    let flipper = try Sleeper("flipper", in: machine)
    let stage = try ServiceStage(
      machine,
      row(
        "State=echo off\nOff=true\nWatch=\(follower.command)\n"
          + "On=sh -c 'echo >>/etc/flips; exec \(flipper.command)'"))
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "off")
    try follower.waitForStart()
    _ = peer.sendSetOn("lamp", true)
    try flipper.waitForStart()
    try stage.kill()
    try follower.waitForEnd()
    try flipper.waitForEnd()
    try machine.waitForEnd(ofUnits: "toggled-run-*")
    #expect(try machine.succeed("cat", "/etc/flips") == "\n")
  }

  @Test("a restart of the daemon's unit ends its programs, and runs none of them again")
  func restarted() throws {
    try machine.write("", to: "/etc/flips")
    let flipper = try Sleeper("flipper", in: machine)
    let stage = try ServiceStage(
      machine,
      row("State=echo off\nOff=true\nOn=sh -c 'echo >>/etc/flips; exec \(flipper.command)'"))
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "off")
    _ = peer.sendSetOn("lamp", true)
    try flipper.waitForStart()
    try machine.succeed("systemctl", "restart", ServiceStage.unit)
    try flipper.waitForEnd()
    try peer.waitForDaemon()
    try peer.awaitState("lamp", "off")
    #expect(try machine.succeed("cat", "/etc/flips") == "\n")
  }

  @Test("what a daemon left behind that was no unit is ended by the next one")
  func leftovers() throws {
    let orphan = try Sleeper("orphan", in: machine)
    let rows = row("State=echo on\nOn=true\nOff=true\nWatch=\(orphan.command)")
    var first: MachineStage? = try MachineStage(machine, rows)
    try orphan.waitForStart()
    try first?.daemon?.send(SIGKILL)
    first = nil
    #expect(try orphan.isRunning)
    let second = try MachineStage(machine, [:])
    let peer = try Peer(second)
    try peer.settle()
    #expect(try orphan.isRunning)
    // No row has a program: systemd is not asked for anything.
    for (name, text) in row("State=echo on\nOn=true\nOff=true") {
      try second.directory.write(text, to: "rows/\(name)")
    }
    try peer.call("Reload", of: .manager, at: .toggled)
    try peer.awaitState("lamp", "on")
    try orphan.waitForEnd()
  }

  @Test("the rows of ufw and of geoclue work", arguments: ["firewall", "location"])
  func shippedRows(_ id: String) throws {
    let isFirewall = id == "firewall"
    var text = try #require(ShippedScene.files["\(id).row"])
    if isFirewall {
      // Whether another firewall serves the row here is not what is asked.
      let ufw = try #require(text.part(between: "[Backend.ufw]", and: "\n\n"))
      text = "[Row]\nTitle=Firewall\nBus=system\n[Backend]\(ufw)\n"
    }
    let stage = try ServiceStage(machine, ["\(id).row": text])
    let peer = try Peer(stage)
    let tool =
      isFirewall ? ["ufw", "status"] : ["systemctl", "is-enabled", "geoclue.service"]
    let words = isFirewall ? ("Status: active", "Status: inactive") : ("static", "masked")
    func isOn() throws -> Bool {
      let output = try machine.run(tool).output
      if output.hasPrefix(words.0) { return true }
      guard output.hasPrefix(words.1) else { throw TestFailure("\(tool): \(output)") }
      return false
    }
    let first = try isOn()
    try peer.awaitState(id, first ? "on" : "off")
    for on in [!first, first] {
      try peer.setOn(id, on)
      #expect(try isOn() == on)
    }
  }
}

extension String {
  /// What stands between the first of these and the next of those.
  fileprivate func part(between start: String, and end: String) -> String? {
    guard let start = firstRange(of: start), let end = self[start.upperBound...].firstRange(of: end)
    else { return nil }
    return String(self[start.upperBound..<end.lowerBound])
  }
}
