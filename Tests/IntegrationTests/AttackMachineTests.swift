// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import System
import TestSupport
import Testing

/// What the system's own bus, with our policy, lets a user without rights do.
@Suite("attackers on the system's bus", .serialized, .needsMachine)
@MainActor
struct AttackMachineTests {
  private static let radioPolicy = """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <policy user="root"><allow own="org.example.Radio"/></policy>
      <policy context="default"><allow send_destination="org.example.Radio"/></policy>
    </busconfig>

    """
  private static let radio =
    RowText.header("Radio", "Bus=system") + """
      [Backend]
      Type=dbus
      Bus=system
      Service=org.example.Radio
      Path=/radio
      Interface=org.example.Radio1
      Property=Powered

      """

  private let machine: Machine
  private let stage: MachineStage
  private let service: SceneService

  init() throws {
    machine = try Machine.withToggled()
    try machine.write(Self.radioPolicy, to: "/etc/dbus-1/system.d/org.example.Radio.conf")
    try machine.succeed("systemctl", "reload", "dbus.service")
    service = try SceneService(
      machine.systemBus,
      ["property /radio org.example.Radio1 Powered b false", "own org.example.Radio"])
    stage = try MachineStage(
      machine, ["radio.row": Self.radio, "lamp.row": RowText.stored("Lamp", "Bus=system")])
  }

  /// Runs an attack as nobody, to its end.
  private func attack(_ name: String) throws {
    let outcome = try machine.run(
      Machine.asNobody + machine.command(running: "attacker.py", with: ["backend_wire.py"])
        + [Machine.innerSystemBus, name])
    #expect(outcome.status.isSuccess, "\(outcome.error)\n\(stage.log)")
  }

  @Test("no answer in another's place comes through, and no signal in another's name counts")
  func forged() throws {
    let peer = try Peer(stage)
    try peer.awaitState("radio", "off")
    try service.tell("answer GetAll hold", "answer Get hold")
    let refresh = peer.send("Refresh", of: .row, at: .row("radio"))
    try peer.settle()
    try attack("answers")
    try attack("signals")
    try attack("local")
    #expect(refresh.outcome == nil)
    #expect(try peer.state("radio") == "off")
    try service.tell("answer GetAll normal", "answer Get normal", "free")
    try peer.wait(for: refresh)
    #expect(try peer.state("radio") == "off")
    #expect(peer.journal.filter { $0.hasPrefix("rows/") } == [])
  }

  @Test("nobody listens to what is not for them")
  func eavesdroppers() throws {
    let bus = ["busctl", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus"]
    let monitor = try machine.run(
      Machine.asNobody + bus + [
        "org.freedesktop.DBus.Monitoring", "BecomeMonitor", "asu", "0", "0",
      ])
    #expect(!monitor.status.isSuccess, "\(monitor.output)")
    let eavesdrop = try machine.run(
      Machine.asNobody + bus + [
        "org.freedesktop.DBus", "AddMatch", "s", "eavesdrop='true',interface='org.toggled.Row1'",
      ])
    #expect(!eavesdrop.status.isSuccess, "\(eavesdrop.output)")
  }

  @Test("nobody reloads, or changes what is logged, and anyone reads")
  func administration() throws {
    let manager = ["org.toggled", "/org/toggled", "org.toggled.Manager1"]
    let reload = try machine.run(Machine.asNobody + ["busctl", "call"] + manager + ["Reload"])
    #expect(reload.error.contains("Access denied"), "\(reload.error)")
    let level = try machine.run(
      Machine.asNobody + [
        "busctl", "set-property", "org.toggled", "/org/freedesktop/LogControl1",
        "org.freedesktop.LogControl1", "LogLevel", "s", "debug",
      ])
    #expect(level.error.contains("Access denied"), "\(level.error)")
    let rows = try machine.run(Machine.asNobody + ["busctl", "get-property"] + manager + ["Rows"])
    #expect(rows.output == "u 2\n", "\(rows.error)")
  }
}
