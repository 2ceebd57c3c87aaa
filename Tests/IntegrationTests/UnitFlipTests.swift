// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import TestSupport
import Testing

@Suite("A unit's row that is flipped", .serialized, .needsMachine)
@MainActor
struct UnitFlipTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.shared.get()
  }

  @Test(
    "starts and stops what can be started",
    arguments: [
      "flip.service", "flip-once.service", "flip@one.service", "flip.socket", "flip.timer",
      "flip.path", "flip.target",
    ])
  func flips(_ unit: String) throws {
    let service = "[Service]\nExecStart=sleep infinity\n"
    try machine.addUnits([
      "flip.service": service, "flip@.service": service,
      "flip-once.service": "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=true\n",
      "flip.socket": "[Socket]\nListenStream=/run/flip.socket\n",
      "flip.timer": "[Timer]\nOnActiveSec=1h\n", "flip.path": "[Path]\nPathExists=/run/flip\n",
      "flip.target": "[Unit]\nDescription=Flip\n",
    ])
    let scene = try UnitScene(machine, unit)
    try scene.peer.setOn("lamp", true)
    #expect(try scene.isActive(unit) == "active")
    try scene.peer.expectJournal([
      "rows/lamp Row1 Target='on'", "rows/lamp Row1 IsOn=true State='on' Target=''",
      "/org/toggled Switches1 lamp=true", "SetOn: true",
    ])
    try scene.peer.setOn("lamp", false)
    #expect(try scene.isActive(unit) == "inactive")
    try scene.peer.expectJournal([
      "rows/lamp Row1 Target='off'", "rows/lamp Row1 IsOn=false State='off' Target=''",
      "/org/toggled Switches1 lamp=false", "SetOn: true",
    ])
  }

  @Test("is confirmed when systemd's job has ended, however long that takes")
  func slowStart() throws {
    let gate = try Gate("slow-flip", in: machine)
    try machine.addUnits([
      "slow-flip.service":
        "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=\(gate.command)\n"
    ])
    let scene = try UnitScene(machine, "slow-flip.service")
    let call = scene.peer.sendSetOn("lamp", true)
    try gate.waitForArrival()
    #expect(try scene.isActive("slow-flip.service") == "activating")
    #expect(call.outcome == nil)
    try gate.open()
    try scene.peer.wait(for: call)
    try scene.peer.expectJournal([
      "rows/lamp Row1 Target='on'", "rows/lamp Row1 IsOn=true State='on' Target=''",
      "/org/toggled Switches1 lamp=true", "SetOn: true",
    ])
    try scene.peer.setOn("lamp", false)
  }

  @Test("answers that the unit failed to start, and shows that it failed")
  func failingStart() throws {
    try machine.addUnits(["broken.service": "[Service]\nType=oneshot\nExecStart=false\n"])
    let scene = try UnitScene(machine, "broken.service")
    let error = try scene.errorOfStart()
    #expect(error.name == "org.toggled.Error.BackendFailed")
    #expect(
      error.message
        == "row lamp: broken.service failed to start; see systemctl status broken.service")
    try scene.peer.awaitState("lamp", "off (failed)")
    #expect(
      try scene.peer.row("lamp", "ReasonText")
        == "'broken.service failed; see systemctl status broken.service'")
    #expect(try scene.peer.row("lamp", "Available") == "true")
    try scene.systemctl("reset-failed", "broken.service")
    try scene.peer.awaitState("lamp", "off")
  }

  @Test("answers that what the unit needs failed")
  func failingDependency() throws {
    try machine.addUnits([
      "broken-base.service": "[Service]\nType=oneshot\nExecStart=false\n",
      "needy.service":
        "[Unit]\nRequires=broken-base.service\nAfter=broken-base.service\n"
        + "[Service]\nExecStart=sleep infinity\n",
    ])
    let scene = try UnitScene(machine, "needy.service")
    let error = try scene.errorOfStart()
    #expect(
      error.message == "row lamp: needy.service can't be started: something that it needs failed; "
        + "see systemctl status needy.service")
    try scene.systemctl("reset-failed")
  }

  @Test(
    "answers that a unit that was started does not run",
    arguments: [
      "[Unit]\nConditionPathExists=/nonexistent\n[Service]\nExecStart=sleep infinity\n",
      "[Service]\nType=oneshot\nExecStart=true\n",
    ])
  func vainStart(_ unit: String) throws {
    try machine.addUnits(["gone.service": unit])
    let scene = try UnitScene(machine, "gone.service")
    let error = try scene.errorOfStart()
    #expect(error.name == "org.toggled.Error.BackendFailed")
    #expect(
      error.message == "row lamp: gone.service does not run: it ended at once, or a condition of "
        + "it is not met; see systemctl status gone.service")
    #expect(try scene.peer.state("lamp") == "off")
  }

  @Test("answers that somebody else cancelled the job")
  func cancelledJob() throws {
    let gate = try Gate("cancelled", in: machine)
    try machine.addUnits([
      "cancelled.service": "[Service]\nType=oneshot\nExecStart=\(gate.command)\n"
    ])
    let scene = try UnitScene(machine, "cancelled.service")
    let call = scene.peer.sendSetOn("lamp", true)
    try gate.waitForArrival()
    try scene.systemctl("stop", "cancelled.service")
    let error = try scene.peer.error(of: call)
    #expect(
      error.message == "row lamp: the start of cancelled.service was cancelled by someone else; "
        + "see systemctl status cancelled.service")
    // So systemd calls a process that was to end by itself.
    try scene.peer.awaitState("lamp", "off (failed)")
    try scene.systemctl("reset-failed", "cancelled.service")
  }

  @Test("ends with its time, and what comes later is shown all the same")
  func timeout() throws {
    let gate = try Gate("late", in: machine)
    try machine.addUnits([
      "late.service": "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=\(gate.command)\n"
    ])
    let scene = try UnitScene(machine, "late.service", keys: "Timeout=0.2")
    let error = try scene.errorOfStart()
    #expect(error.name == "org.toggled.Error.TimedOut")
    // It still starts, now without us.
    try scene.peer.wait { $0.hasPrefix("rows/lamp Row1") && $0.contains("Target='on'") }
    try gate.waitForArrival()
    try gate.open()
    try scene.peer.awaitState("lamp", "on")
    #expect(try scene.peer.row("lamp", "Target") == "''")
    try scene.systemctl("stop", "late.service")
    try scene.peer.awaitState("lamp", "off")
  }

  @Test("survives a daemon-reexec in the middle of the job")
  func reexecDuringJob() throws {
    let gate = try Gate("reborn", in: machine)
    try machine.addUnits([
      "reborn.service": "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=\(gate.command)\n"
    ])
    let scene = try UnitScene(machine, "reborn.service")
    let call = scene.peer.sendSetOn("lamp", true)
    try gate.waitForArrival()
    try scene.systemctl("daemon-reexec")
    try gate.open()
    try scene.peer.wait(for: call)
    #expect(try scene.peer.state("lamp") == "on")
    try scene.peer.setOn("lamp", false)
  }

  // machine.succeed: Enable

  @Test("with Enable also enables and disables the unit, and does not pass through mixed")
  func enables() throws {
    try machine.addUnits([
      "lasting.service":
        "[Service]\nExecStart=sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
    ])
    let scene = try UnitScene(machine, "lasting.service", backend: "Enable=true")
    try scene.peer.setOn("lamp", true)
    #expect(try scene.isActive("lasting.service") == "active")
    #expect(try scene.isEnabled("lasting.service") == "enabled")
    try scene.peer.expectJournal([
      "rows/lamp Row1 Target='on'", "rows/lamp Row1 IsOn=true State='on' Target=''",
      "/org/toggled Switches1 lamp=true", "SetOn: true",
    ])
    try scene.peer.setOn("lamp", false)
    #expect(try scene.isActive("lasting.service") == "inactive")
    #expect(try scene.isEnabled("lasting.service") == "disabled")
    try scene.peer.expectJournal([
      "rows/lamp Row1 Target='off'", "rows/lamp Row1 IsOn=false State='off' Target=''",
      "/org/toggled Switches1 lamp=false", "SetOn: true",
    ])
  }

  @Test("with Enable turns off what is enabled until the next boot alone")
  func disablesRuntime() throws {
    try machine.addUnits([
      "fleeting.service":
        "[Service]\nExecStart=sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
    ])
    try machine.succeed("systemctl", "enable", "--runtime", "--now", "fleeting.service")
    let scene = try UnitScene(machine, "fleeting.service", backend: "Enable=true", state: "on")
    try scene.peer.setOn("lamp", false)
    #expect(try scene.peer.state("lamp") == "off")
    #expect(
      try scene.isEnabled("fleeting.service") == "disabled")
  }

  @Test("with Enable needs a unit without [Install] only to run")
  func enablesStatic() throws {
    try machine.addUnits(["plain.service": "[Service]\nExecStart=sleep infinity\n"])
    let scene = try UnitScene(machine, "plain.service", backend: "Enable=true")
    try scene.peer.setOn("lamp", true)
    #expect(try scene.peer.state("lamp") == "on")
    try scene.peer.setOn("lamp", false)
    #expect(try scene.isActive("plain.service") == "inactive")
  }
}
