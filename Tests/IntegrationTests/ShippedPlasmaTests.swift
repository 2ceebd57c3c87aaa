// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// The rows that ship as Plasma has them: python-dbusmock is its services.
@MainActor
@Suite("the rows that ship, on Plasma", .serialized, .needsMachine)
struct ShippedPlasmaTests {
  /// A property of Plasma's, and what is written to its configuration to change it.
  struct PlasmaRow: Sendable, CustomTestStringConvertible {
    var id: String
    /// The service, and the interface.
    var name: String
    var path: String
    var property: String
    /// The program that writes Plasma's configuration.
    var writer = "kwriteconfig6"
    /// What that is told.
    var writes: (on: String, off: String)

    var testDescription: String { "\(id) by \(writer)" }

    /// A call of the mock that stands in for the service.
    func mock(_ arguments: String...) -> [String] {
      ["busctl", "--user", "call", name, path, "org.freedesktop.DBus.Mock"] + arguments
    }

    func update(_ on: Bool) -> [String] {
      mock("UpdateProperties", "sa{sv}", name, "1", property, "b", "\(on)")
    }

    /// As a client of the service sees it.
    var row: ShippedRow {
      ShippedRow(
        id: id, reader: ["busctl", "--user", "get-property", name, path, name, property],
        texts: ("b true", "b false"), setters: (update(true), update(false)))
    }
  }

  nonisolated private static let rows =
    ["kwriteconfig5", "kwriteconfig6"].map { writer in
      PlasmaRow(
        id: "do_not_disturb", name: "org.freedesktop.Notifications",
        path: "/org/freedesktop/Notifications", property: "Inhibited", writer: writer,
        writes: (
          "--file plasmanotifyrc --group DoNotDisturb --key Until 2999,1,1,0,0,0",
          "--file plasmanotifyrc --group DoNotDisturb --key Until --delete "
        ))
    } + [
      PlasmaRow(
        id: "night_light", name: "org.kde.KWin.NightLight", path: "/org/kde/KWin/NightLight",
        property: "enabled",
        writes: (
          "--file kwinrc --group NightColor --key Active --type bool true",
          "--file kwinrc --group NightColor --key Active --type bool false"
        ))
    ]

  @Test("are written to its configuration, and read from its services", arguments: rows)
  func followPlasma(_ plasma: PlasmaRow) throws {
    let desktop = try Desktop()
    // Plasma reads its configuration as it is told of a change; here who writes changes both.
    try desktop.replacePrograms([
      plasma.writer: """
      #!/bin/sh
      case "$*" in
        "--notify \(plasma.writes.on)") exec \(plasma.update(true).joined(separator: " ")) ;;
        "--notify \(plasma.writes.off)") exec \(plasma.update(false).joined(separator: " ")) ;;
        *) echo "not what Plasma reads: $*" >&2; exit 1 ;;
      esac
      """
    ])
    // The mock's own interface begins the name of its errors, UnknownInterface among them, which
    // Plasma's services have the standard name for.
    try desktop.start(
      Python.path, "-m", "dbusmock", "--session", plasma.name, plasma.path,
      "org.freedesktop.DBus.Error")
    try desktop.awaitOwner(plasma.name)
    let outcome = try desktop.run(
      plasma.mock("AddProperty", "ssv", plasma.name, plasma.property, "b", "false"))
    try #require(outcome.status.isSuccess, "\(outcome.error)")
    try ShippedScene(plasma.id, on: desktop).expectTrue(plasma.row)
  }
}
