// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import TestSupport
import Testing

@Suite("A unit's row and what others do", .serialized, .needsMachine)
@MainActor
struct UnitOutsideTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.shared.get()
  }

  @Test("is on and off as they say, a signal a change")
  func startAndStop() throws {
    let gate = try Gate("told-stop", in: machine)
    try machine.addUnits([
      "told.service": "[Service]\nExecStart=sleep infinity\nExecStop=\(gate.command)\n"
    ])
    let scene = try UnitScene(machine, "told.service")
    try scene.systemctl("start", "told.service")
    try scene.peer.awaitState("lamp", "on")
    try scene.expectJournal(
      ["rows/lamp Row1 IsOn=true State='on'", "/org/toggled Switches1 lamp=true"])
    // It says where it is going, and comes there in the end.
    try scene.systemctl("stop", "--no-block", "told.service")
    try gate.waitForArrival()
    try scene.peer.wait(for: "rows/lamp Row1 Target='off'")
    try scene.expectJournal(["rows/lamp Row1 Target='off'"])
    try gate.open()
    try scene.peer.awaitState("lamp", "off")
    try scene.expectJournal(
      ["rows/lamp Row1 IsOn=false State='off' Target=''", "/org/toggled Switches1 lamp=false"])
  }

  @Test("shows a slow start as its target")
  func slowStart() throws {
    let gate = try Gate("told-start", in: machine)
    try machine.addUnits([
      "slow.service": "[Service]\nExecStartPre=\(gate.command)\nExecStart=sleep infinity\n"
    ])
    let scene = try UnitScene(machine, "slow.service")
    try scene.systemctl("start", "--no-block", "slow.service")
    try gate.waitForArrival()
    try scene.peer.wait(for: "rows/lamp Row1 Target='on'")
    try gate.open()
    try scene.peer.awaitState("lamp", "on")
    try scene.expectJournal(
      [
        "rows/lamp Row1 Target='on'", "rows/lamp Row1 IsOn=true State='on' Target=''",
        "/org/toggled Switches1 lamp=true",
      ])
    try scene.systemctl("stop", "slow.service")
  }

  @Test("says nothing while a unit that runs reads its configuration again")
  func reload() throws {
    let gate = try Gate("rereading", in: machine)
    try machine.addUnits([
      "rereading.service": "[Service]\nExecStart=sleep infinity\nExecReload=\(gate.command)\n"
    ])
    try machine.succeed("systemctl", "start", "rereading.service")
    let scene = try UnitScene(machine, "rereading.service", state: "on")
    let reload = try machine.start(["systemctl", "reload", "rereading.service"])
    try gate.waitForArrival()
    #expect(
      try scene.isActive("rereading.service") == "reloading")
    try scene.expectJournal([])
    try gate.open()
    try reload.waitForExit()
    try scene.systemctl("stop", "rereading.service")
    try scene.peer.awaitState("lamp", "off")
  }

  @Test("is off and failed when the program is killed")
  func crash() throws {
    try machine.addUnits(["mortal.service": "[Service]\nExecStart=sleep infinity\n"])
    try machine.succeed("systemctl", "start", "mortal.service")
    let scene = try UnitScene(machine, "mortal.service", state: "on")
    try scene.systemctl("kill", "--signal=KILL", "mortal.service")
    try scene.peer.awaitState("lamp", "off (failed)")
    #expect(
      try scene.peer.row("lamp", "ReasonText")
        == "'mortal.service failed; see systemctl status mortal.service'")
    try scene.systemctl("reset-failed", "mortal.service")
    try scene.peer.awaitState("lamp", "off")
  }

  @Test("hears of a unit that systemd had forgotten")
  func garbageCollected() throws {
    try machine.addUnits(["forgotten.service": "[Service]\nExecStart=sleep infinity\n"])
    let scene = try UnitScene(machine, "forgotten.service")
    let loaded = try machine.succeed("systemctl", "list-units", "--all", "--plain")
    #expect(!loaded.contains("forgotten.service"))
    try scene.systemctl("start", "forgotten.service")
    try scene.peer.awaitState("lamp", "on")
    try scene.systemctl("stop", "forgotten.service")
    try scene.peer.awaitState("lamp", "off")
    try scene.systemctl("start", "forgotten.service")
    try scene.peer.awaitState("lamp", "on")
    try scene.systemctl("stop", "forgotten.service")
  }

  @Test("has nothing behind it before a transient unit, and after it")
  func transientUnit() throws {
    let scene = try UnitScene(machine, "passing.service", state: "unknown (not-found)")
    #expect(try scene.peer.row("lamp", "ReasonText") == "'there is no unit passing.service'")
    try machine.succeed("systemd-run", "--unit=passing.service", "sleep", "infinity")
    try scene.peer.awaitState("lamp", "on")
    try scene.systemctl("stop", "passing.service")
    try scene.peer.awaitState("lamp", "unknown (not-found)")
    let error = try scene.errorOfStart()
    #expect(error.name.rawValue == "org.toggled.Error.Unavailable")
    #expect(error.message == "row lamp: there is no unit passing.service")
  }

  @Test("follows unit files that come, go wrong and go")
  func unitFiles() throws {
    let scene = try UnitScene(machine, "arriving.service", state: "unknown (not-found)")
    try machine.addUnits(["arriving.service": "[Service]\nExecStart=sleep infinity\n"])
    try scene.peer.awaitState("lamp", "off")
    try machine.addUnits(["arriving.service": "[Service]\n"])
    try scene.peer.awaitState("lamp", "off (failed)")
    #expect(try scene.peer.row("lamp", "ReasonText").contains("arriving.service can't be loaded: "))
    try machine.succeed("rm", "/run/systemd/system/arriving.service")
    try scene.systemctl("daemon-reload")
    try scene.peer.awaitState("lamp", "unknown (not-found)")
  }

  @Test("says that a unit is masked, and how to undo that")
  func mask() throws {
    try machine.addUnits(["hidden.service": "[Service]\nExecStart=sleep infinity\n"])
    let scene = try UnitScene(machine, "hidden.service")
    try scene.systemctl("mask", "hidden.service")
    try scene.peer.awaitState("lamp", "off (no-access)")
    #expect(
      try scene.peer.row("lamp", "ReasonText")
        == "'hidden.service is masked; systemctl unmask hidden.service'")
    let error = try scene.errorOfStart()
    #expect(
      error.message == "row lamp: hidden.service is masked; systemctl unmask hidden.service")
    try scene.systemctl("unmask", "hidden.service")
    try scene.peer.awaitState("lamp", "off")
  }

  @Test("hears on after a daemon-reexec, and says nothing of it")
  func reexec() throws {
    try machine.addUnits(["lasting-on.service": "[Service]\nExecStart=sleep infinity\n"])
    try machine.succeed("systemctl", "start", "lasting-on.service")
    let scene = try UnitScene(machine, "lasting-on.service", state: "on")
    try scene.systemctl("daemon-reexec")
    try scene.systemctl("daemon-reload")
    try scene.expectJournal([])
    try scene.systemctl("stop", "lasting-on.service")
    try scene.peer.awaitState("lamp", "off")
  }

  @Test("with Enable is mixed where the unit only runs or is only enabled")
  func enabling() throws {
    try machine.addUnits([
      "half.service": "[Service]\nExecStart=sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
    ])
    let scene = try UnitScene(machine, "half.service", backend: "Enable=true")
    try scene.systemctl("enable", "half.service")
    try scene.peer.awaitState("lamp", "mixed")
    #expect(try scene.peer.row("lamp", "IsOn") == "false")
    try scene.systemctl("start", "half.service")
    try scene.peer.awaitState("lamp", "on")
    try scene.systemctl("disable", "half.service")
    try scene.peer.awaitState("lamp", "mixed")
    // Off is what it is not, so this acts.
    try scene.peer.setOn("lamp", false)
    #expect(try scene.peer.state("lamp") == "off")
    #expect(try scene.isActive("half.service") == "inactive")
  }

  @Test("follows a unit by another of its names")
  func alias() throws {
    try machine.addUnits(["proper.service": "[Service]\nExecStart=sleep infinity\n"])
    try machine.succeed(
      "ln", "-sf", "/run/systemd/system/proper.service", "/run/systemd/system/other.service")
    try machine.succeed("systemctl", "daemon-reload")
    let scene = try UnitScene(machine, "other.service")
    try scene.systemctl("start", "proper.service")
    try scene.peer.awaitState("lamp", "on")
    try scene.peer.setOn("lamp", false)
    #expect(try scene.isActive("proper.service") == "inactive")
  }
}
