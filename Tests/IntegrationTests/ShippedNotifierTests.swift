// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// Do Not Disturb, with each program that shows notifications.
@MainActor
@Suite("the Do Not Disturb that ships", .serialized)
struct ShippedNotifierTests {
  private let desktop: Desktop

  init() throws {
    desktop = try Desktop()
    try desktop.startCompositor()
  }

  /// A program that shows notifications.
  struct Notifier: Sendable, CustomTestStringConvertible {
    var program: String
    /// The name that it takes when it is up.
    var name = "org.freedesktop.Notifications"
    var reader: [String]
    var texts = (on: "true", off: "false")
    var setters: (on: [String], off: [String])

    var testDescription: String { program }

    var row: ShippedRow {
      ShippedRow(id: "do_not_disturb", reader: reader, texts: texts, setters: setters)
    }
  }

  nonisolated private static let notifiers = [
    Notifier(
      program: "dunst", reader: ["dunstctl", "is-paused"],
      setters: (["dunstctl", "set-paused", "true"], ["dunstctl", "set-paused", "false"])),
    Notifier(
      program: "swaync", name: "org.erikreider.swaync.cc", reader: ["swaync-client", "--get-dnd"],
      setters: (["swaync-client", "--dnd-on"], ["swaync-client", "--dnd-off"])),
    Notifier(
      program: "mako", reader: ["sh", "-c", "makoctl mode | tail -n 1"],
      texts: ("do-not-disturb", "default"),
      setters: (
        ["makoctl", "mode", "-a", "do-not-disturb"], ["makoctl", "mode", "-r", "do-not-disturb"]
      )),
  ]

  @Test("is the program's that shows notifications, and GNOME's without one", arguments: notifiers)
  func followsItsNotifier(_ notifier: Notifier) throws {
    let id = notifier.row.id
    let shell = try SceneService(desktop.bus.address, ["own org.gnome.Shell"])
    defer { withExtendedLifetime(shell) {} }
    try desktop.start(notifier.program, owning: notifier.name)
    let scene = try ShippedScene(id, on: desktop)
    try scene.expectTrue(notifier.row)

    try scene.run(["gsettings", "set", "org.gnome.desktop.notifications", "show-banners", "false"])
    let states = try scene.states(of: id) {
      try desktop.stop(notifier.program)
      try scene.client.await(id, "on")
      try desktop.start(notifier.program, owning: notifier.name)
      try scene.client.await(id, "off")
    }
    #expect(states == [#""on""#, #""off""#])
    #expect(try scene.read(notifier.row) == false)
  }

  @Test("starts no program to read it")
  func startsNothing() throws {
    let names = ["org.freedesktop.Notifications", "org.erikreider.swaync.cc"]
    let mark = desktop.path("started")
    for name in names { try desktop.bus.addService(name, command: "/bin/touch \(mark)") }
    let scene = try ShippedScene("do_not_disturb", on: desktop)
    try scene.client.await("do_not_disturb", ["Reason": #""no-service""#])
    #expect(try scene.client.call("do_not_disturb", "Refresh") == "ok []")
    #expect(!Files.exists(mark))
    #expect(
      try scene.client.get("do_not_disturb", "ReasonText")
        == #""none of \#(names.joined(separator: ", ")), org.gnome.Shell is running""#)
  }
}
