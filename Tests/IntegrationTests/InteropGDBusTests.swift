// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// GLib's command, and its ObjectManager client.
@MainActor
@Suite("Interop with GLib", .serialized)
struct InteropGDBusTests {
  private let stage: Stage

  init() throws {
    stage = try Stage.serving([
      "lamp.row": RowText.stored("Lamp", "Section=home"),
      "home.section": "[Section]\nTitle=Home\n",
    ])
  }

  private func gdbus(_ verb: String, _ arguments: String...) throws -> String {
    let outcome = try Program.run(
      ["gdbus", verb, "--address=\(stage.bus.address)", "--dest=org.toggled"] + arguments)
    guard outcome.status.isSuccess else {
      throw TestFailure("gdbus \(verb) \(arguments): \(outcome.error)\(stage.log)")
    }
    return outcome.output
  }

  @Test("introspect shows all objects with their values")
  func introspect() throws {
    let text = try gdbus("introspect", "--object-path=/", "--recurse")
    for expected in [
      "node /org/toggled/rows/lamp {", "interface org.toggled.Row1 {", "readwrite b IsOn = false;",
      "readonly s Title = 'Lamp';", "readonly t NextChange = 0;", "readonly aa{sv} Holds = [];",
      "node /org/toggled/sections/home {", "readonly u Rows = 1;", "readwrite b lamp = false;",
      "interface org.freedesktop.LogControl1 {",
    ] {
      #expect(text.contains(expected), "\(expected) is not in\n\(text)")
    }
  }

  @Test("call finds types by introspection, flips and answers")
  func call() throws {
    let object = "--object-path=/org/toggled/rows/lamp"
    #expect(try gdbus("call", object, "--method=org.toggled.Row1.SetOn", "true") == "(true,)\n")
    #expect(try gdbus("call", object, "--method=org.toggled.Row1.Toggle") == "(false,)\n")
    let apply = try gdbus(
      "call", "--object-path=/org/toggled", "--method=org.toggled.Manager1.Apply",
      "{'lamp': true, 'no_such': true}")
    #expect(apply.contains("'lamp': (true, '', '')"))
    #expect(apply.contains("'no_such': (false, 'org.freedesktop.DBus.Error.UnknownObject', "))
  }

  @Test("monitor prints the change")
  func monitor() throws {
    let monitor = try Program([
      "gdbus", "monitor", "--address=\(stage.bus.address)", "--dest=org.toggled",
    ])
    try monitor.waitForLine(containing: "The name org.toggled is owned by")
    // It asked for the signals before it asked for the owner.
    _ = try gdbus(
      "call", "--object-path=/org/toggled/rows/lamp", "--method=org.toggled.Row1.Toggle")
    let line = try monitor.waitForLine(containing: "'IsOn': <true>")
    #expect(line.hasPrefix("/org/toggled/rows/lamp: org.freedesktop.DBus.Properties"))
    #expect(line.contains("('org.toggled.Row1', {"))
    #expect(line.hasSuffix("}, @as [])"), "\(line)")
  }

  @Test("GDBusObjectManagerClient holds every object, follows changes, and rows that come and go")
  func objectManager() throws {
    let client = try Program(
      [Python.path, Scripts.path("object_manager.py"), stage.bus.address], hasInput: true)
    func ask(_ command: String, _ expected: String) throws {
      try client.write(command + "\n")
      let line = try client.waitForLine { _ in true }
      #expect(line == expected, "\(client.text(.error))\n\(stage.log)")
    }
    try ask(
      "objects",
      "/org/toggled/rows/lamp=org.toggled.Row1 /org/toggled/sections/home=org.toggled.Section1")
    try ask("get lamp Title", "'Lamp'")
    try ask("get lamp State", "'off'")
    try ask("flip lamp", "(true,)")
    try ask("get lamp State", "'on'")
    try ask("changes lamp", "IsOn State Target")

    try stage.write("fan.row", RowText.stored("Fan"))
    try ask("next", "added /org/toggled/sections/other")
    try ask("next", "added /org/toggled/rows/fan")
    try ask("get fan Title", "'Fan'")
    try stage.remove("fan.row")
    try ask("next", "removed /org/toggled/rows/fan")
    try ask("next", "removed /org/toggled/sections/other")
    client.closeInput()
    #expect(try client.waitForExit().isSuccess)
  }

  @Test("GDBusObjectManagerClient notices that the daemon goes and comes back")
  func owner() throws {
    let client = try Program(
      [Python.path, Scripts.path("object_manager.py"), stage.bus.address], hasInput: true)
    func ask(_ command: String) throws -> String {
      try client.write(command + "\n")
      return try client.waitForLine { _ in true }
    }
    #expect(try ask("flip lamp") == "(true,)")
    try stage.stop()
    #expect(try ask("next") == "removed /org/toggled/rows/lamp")
    #expect(try ask("next") == "removed /org/toggled/sections/home")
    try stage.start()
    let added = [try ask("next"), try ask("next")].sorted()
    #expect(added == ["added /org/toggled/rows/lamp", "added /org/toggled/sections/home"])
    #expect(try ask("get lamp IsOn") == "true")
  }
}
