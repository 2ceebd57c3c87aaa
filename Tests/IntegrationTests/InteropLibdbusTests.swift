// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// Clients built on libdbus: dbus-send, dbus-monitor and python3-dbus.
@MainActor
@Suite("Interop with libdbus's clients", .serialized)
struct InteropLibdbusTests {
  private let stage: Stage

  init() throws {
    stage = try Stage.serving([
      "lamp.row": RowText.stored("Lamp", "Title[es]=Lámpara\nSection=home"),
      "home.section": "[Section]\nTitle=Home\n",
    ])
  }

  private func send(_ path: String, _ member: String, _ arguments: String...) throws -> String {
    let outcome = try Program.run(
      [
        "dbus-send", "--bus=\(stage.bus.address)", "--print-reply=literal", "--dest=org.toggled",
        path, member,
      ] + arguments)
    guard outcome.status.isSuccess else { return outcome.error }
    return outcome.output.split(separator: " ").joined(separator: " ")
      .replacing("\n", with: "")
  }

  @Test("dbus-send calls, reads, writes and shows errors")
  func dbusSend() throws {
    let row = "/org/toggled/rows/lamp"
    let properties = "org.freedesktop.DBus.Properties"
    #expect(try send(row, "org.toggled.Row1.SetOn", "boolean:true") == "boolean true")
    #expect(
      try send(row, "\(properties).Get", "string:org.toggled.Row1", "string:State")
        == "variant on")
    #expect(
      try send(
        "/org/toggled", "\(properties).Set", "string:org.toggled.Switches1", "string:lamp",
        "variant:boolean:false") == "")
    #expect(
      try send(row, "\(properties).Get", "string:org.toggled.Row1", "string:IsOn")
        == "variant boolean false")
    #expect(
      try send(row, "\(properties).Set", "string:org.toggled.Row1", "string:IsOn", "variant:byte:1")
        .hasPrefix("Error org.freedesktop.DBus.Error.InvalidArgs: "))
    #expect(
      try send("/org/toggled/rows/none", "org.toggled.Row1.Toggle")
        .hasPrefix("Error org.freedesktop.DBus.Error.UnknownObject: "))
    #expect(try send(row, "org.freedesktop.DBus.Peer.Ping") == "")
  }

  @Test("dbus-monitor shows signal and reply in their order")
  func dbusMonitor() throws {
    let monitor = try Program([
      "dbus-monitor", "--address", stage.bus.address, "sender=org.toggled",
    ])
    // The monitor sees its own NameLost when it has become one.
    try monitor.waitForLine(containing: "member=NameLost")
    _ = try send("/org/toggled/rows/lamp", "org.toggled.Row1.SetOn", "boolean:true")
    try monitor.waitForLine(containing: "string \"IsOn\"")
    try monitor.waitForLine(containing: "interface=org.freedesktop.DBus.Properties; member=")
    try monitor.waitForLine(containing: "string \"org.toggled.Switches1\"")
    try monitor.waitForLine(containing: "method return")
  }

  @Test("python3-dbus reads, flips, hears the signal and meets typed errors")
  func python() throws {
    let outcome = try Program.run([
      Python.path, Scripts.path("dbus_python.py"), stage.bus.address,
    ])
    #expect(outcome.status.isSuccess, "\(outcome.error)\n\(stage.log)")
    #expect(
      outcome.output == """
        Title Lamp Lámpara
        SetOn True
        signal IsOn True
        State on
        Set False
        Switches1 {'lamp': False}
        objects /org/toggled/rows/lamp /org/toggled/sections/home
        error org.freedesktop.DBus.Error.PropertyReadOnly
        error org.freedesktop.DBus.Error.UnknownMethod
        error org.freedesktop.DBus.Error.NotSupported

        """)
  }
}
