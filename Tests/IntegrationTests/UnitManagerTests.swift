// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import System
import TestSupport
import Testing

@Suite("A unit's row and its manager", .serialized, .needsMachine)
@MainActor
struct UnitManagerTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.shared.get()
  }

  @Test("on a session bus is of the user's own manager")
  func userManager() throws {
    try machine.startUserManager()
    try machine.write(
      "[Service]\nExecStart=sleep infinity\n[Install]\nWantedBy=default.target\n",
      to: "/run/user/0/systemd/user/mine.service")
    try machine.succeed(
      "systemctl", "--user", "daemon-reload", environment: Machine.sessionEnvironment)
    let scene = try UnitScene(machine, "mine.service", on: .session, backend: "Enable=true")
    try scene.peer.setOn("lamp", true)
    try scene.expectJournal([
      "rows/lamp Row1 Target='on'", "rows/lamp Row1 IsOn=true State='on' Target=''",
      "/org/toggled Switches1 lamp=true", "SetOn: true",
    ])
    #expect(try scene.isActive("mine.service") == "active")
    #expect(try scene.isEnabled("mine.service") == "enabled")
    try scene.systemctl("disable", "--now", "mine.service")
    try scene.peer.awaitState("lamp", "off")
    try scene.systemctl("enable", "--now", "mine.service")
    try scene.peer.awaitState("lamp", "on")
    try scene.systemctl("kill", "--signal=KILL", "mine.service")
    try scene.peer.awaitState("lamp", "mixed (failed)")
    #expect(
      try scene.peer.row("lamp", "ReasonText")
        == "'mine.service failed; see systemctl --user status mine.service'")
    try scene.systemctl("reset-failed", "mine.service")
    try scene.peer.setOn("lamp", false)
    #expect(try scene.isEnabled("mine.service") == "disabled")
  }

  @Test("on a session bus hears on after the user's manager has started anew")
  func userReexec() throws {
    try machine.startUserManager()
    try machine.write(
      "[Service]\nExecStart=sleep infinity\n", to: "/run/user/0/systemd/user/again.service")
    try machine.succeed(
      "systemctl", "--user", "daemon-reload", environment: Machine.sessionEnvironment)
    let scene = try UnitScene(machine, "again.service", on: .session)
    try scene.systemctl("daemon-reexec")
    try scene.systemctl("start", "again.service")
    try scene.peer.awaitState("lamp", "on")
    try scene.systemctl("stop", "again.service")
    try scene.peer.awaitState("lamp", "off")
  }

  @Test("asks systemd for its signals again when it starts anew, and after a reload")
  func subscribes() throws {
    try machine.addUnits(["heard.service": "[Service]\nExecStart=sleep infinity\n"])
    let scene = try UnitScene(machine, "heard.service")
    let monitor = try machine.start([
      "dbus-monitor", "--system", "member=Subscribe,interface=org.freedesktop.systemd1.Manager",
    ])
    try monitor.waitForLine(containing: "member=NameLost")
    try scene.systemctl("daemon-reexec")
    try monitor.waitForLine(containing: "member=Subscribe")
    try scene.systemctl("daemon-reload")
    try monitor.waitForLine(containing: "member=Subscribe")
  }

  @Test("says that systemd refuses whoever may not")
  func denial() throws {
    try machine.addUnits(["guarded.service": "[Service]\nExecStart=sleep infinity\n"])
    let directory = try TemporaryDirectory(in: machine.directory.path)
    let rows = try directory.makeDirectory("rows")
    try directory.write(
      RowText.unit("guarded.service", backend: "Bus=system"), to: "rows/lamp.row")
    try machine.succeed("chown", "-R", "nobody", directory.path)
    let nobody = ["runuser", "-u", "nobody", "--"]
    let address = "unix:path=\(directory.path("bus"))"
    let bus = try machine.start(
      nobody + [
        "dbus-daemon", "--session", "--nofork", "--address=\(address)", "--print-address=1",
      ])
    try bus.waitForLine(containing: "unix:path=")
    let daemon = try machine.start(
      nobody + [
        try Products.path("toggled"), "--session", "--address", address, "--rows", rows,
        "--state", directory.path("state"),
      ])
    try daemon.waitForLine(containing: "rows on the session bus", on: .error)

    let outcome = try machine.run(
      nobody + [
        "dbus-send", "--bus=\(address)", "--print-reply", "--dest=org.toggled",
        "/org/toggled/rows/lamp", "org.toggled.Row1.SetOn", "boolean:true",
      ])
    #expect(
      outcome.error.hasPrefix(
        "Error org.freedesktop.DBus.Error.InteractiveAuthorizationRequired: row lamp: "
          + "org.freedesktop.systemd1 refuses: "), "\(outcome)\(daemon.text(.error))")
    let state = try machine.run(["systemctl", "is-active", "guarded.service"]).output
    #expect(state == "inactive\n")
  }
}
