// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// The rows of a session that ship, each with the real thing.
@MainActor
@Suite("the session rows that ship", .serialized)
struct ShippedSessionTests {
  private let desktop: Desktop

  init() throws {
    desktop = try Desktop()
  }

  // MARK: GSettings

  /// A row that switches a key; what heeds it may have a name on the bus.
  nonisolated private static func key(
    _ id: String, _ schema: String, _ key: String, on: String = "true", off: String = "false",
    heededBy name: String? = nil
  ) -> ShippedRow {
    ShippedRow(
      id: id, reader: ["gsettings", "get", schema, key], texts: (on, off),
      setters: (["gsettings", "set", schema, key, on], ["gsettings", "set", schema, key, off]),
      busName: name)
  }

  nonisolated private static let keys: [ShippedRow] = {
    let desktop = "org.gnome.desktop"
    return [
      key(
        "dark_mode", "\(desktop).interface", "color-scheme", on: "'prefer-dark'", off: "'default'"),
      key(
        "do_not_disturb", "\(desktop).notifications", "show-banners", on: "false", off: "true",
        heededBy: "org.gnome.Shell"),
      key("high_contrast", "\(desktop).a11y.interface", "high-contrast"),
      key("large_text", "\(desktop).interface", "text-scaling-factor", on: "1.25", off: "1.0"),
      key(
        "night_light", "org.gnome.settings-daemon.plugins.color", "night-light-enabled",
        heededBy: "org.gnome.SettingsDaemon.Color"),
      key(
        "on_screen_keyboard", "\(desktop).a11y.applications", "screen-keyboard-enabled",
        heededBy: "org.gnome.Shell"),
      key(
        "on_screen_keyboard", "\(desktop).a11y.applications", "screen-keyboard-enabled",
        heededBy: "sm.puri.OSK0"),
      key(
        "reduce_motion", "\(desktop).interface", "enable-animations", on: "false", off: "true"),
      key(
        "screen_reader", "\(desktop).a11y.applications", "screen-reader-enabled",
        heededBy: "org.gnome.SessionManager"),
      key("share_location", "org.gnome.system.location", "enabled"),
      key(
        "show_previews", "\(desktop).notifications", "show-in-lock-screen",
        heededBy: "org.gnome.Shell"),
    ]
  }()

  @Test("of a key follows gsettings, and gsettings follows it", arguments: keys)
  func followsItsKey(_ row: ShippedRow) throws {
    let shell = try row.busName.map { try SceneService(desktop.bus.address, ["own \($0)"]) }
    defer { withExtendedLifetime(shell) {} }
    try ShippedScene(row.id, on: desktop).expectTrue(row)
  }

  @Test(
    "of a key that one program reads are there while that program is",
    arguments: keys.filter { $0.busName != nil })
  func followsItsReader(_ row: ShippedRow) throws {
    let name = try #require(row.busName)
    let shell = try SceneService(desktop.bus.address, [])
    let scene = try ShippedScene(row.id, on: desktop)
    let (id, value) = (row.id, try scene.read(row))
    for _ in 1...2 {
      try scene.client.await(id, ["Reason": #""no-service""#, "Available": "false"])
      let text = try scene.client.get(id, "ReasonText")
      #expect(text.contains(name) && text.contains(" running"), "\(text)")
      let answer = try scene.client.setOn(id, !value)
      #expect(answer.hasPrefix("error org.toggled.Error.Unavailable "), "\(answer)")
      #expect(answer.contains(name), "\(answer)")
      #expect(try scene.read(row) == value)
      try shell.tell("own \(name)")
      try scene.client.await(id, ["Available": "true", "State": "\"\(value ? "on" : "off")\""])
      try shell.tell("release \(name)")
    }
  }
}

/// The rows of a session that ship and need a systemd, in a machine of the tests' own.
@MainActor
@Suite("the session rows that ship, with systemd", .serialized, .needsMachine)
struct ShippedSystemdSessionTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.shared.get()
    try machine.startUserManager()
  }

  @Test("Keep Awake is logind's inhibitor while it is on")
  func keepAwake() throws {
    let scene = try ShippedScene("keep_awake", inSessionOf: machine)
    let client = scene.client
    func inhibitors() throws -> String { try scene.run(["systemd-inhibit", "--list"]) }
    try client.await("keep_awake", "off")
    #expect(try !inhibitors().contains("Keep Awake"))
    for on in [true, false] {
      let states = try scene.states(of: "keep_awake") {
        let answer = try client.setOn("keep_awake", on)
        #expect(answer == "ok [true]")
        let isInhibited = try inhibitors().contains("Keep Awake")
        #expect(isInhibited == on)
      }
      #expect(states == ["\"\(on ? "on" : "off")\""])
    }
  }

  @Test("Night Light is gammastep's service where it is installed")
  func gammastep() throws {
    try machine.write(
      "[Service]\nExecStart=sleep infinity\n[Install]\nWantedBy=default.target\n",
      to: "/etc/systemd/user/gammastep.service")
    defer { _ = try? machine.run(["rm", "/etc/systemd/user/gammastep.service"]) }
    let control = ["systemctl", "--user"]
    try machine.succeed(
      "systemctl", "--user", "daemon-reload", environment: Machine.sessionEnvironment)
    let unit = "gammastep.service"
    let row = ShippedRow(
      id: "night_light", reader: control + ["is-active", unit], texts: ("active", "inactive"),
      setters: (control + ["enable", "--now", unit], control + ["disable", "--now", unit]),
      passage: "mixed")
    try ShippedScene(row.id, inSessionOf: machine).expectTrue(row)
  }
}
