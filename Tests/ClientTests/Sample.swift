// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

@testable import Client

/// Rows and sections as a daemon would tell of them.
enum Sample {
  static func texts(_ entries: [(String, String)]) -> Value {
    .dictionary(
      key: .string, value: .string,
      entries: entries.map { .init(.string($0.0), .string($0.1)) })
  }

  static func path(_ kind: String, _ id: String) -> ObjectPath {
    ObjectPath("/org/toggled/\(kind)/\(id)") ?? .root
  }

  /// A row that is off and reachable, with `properties` over what is usual.
  static func row(
    _ id: String, _ properties: [(String, Value)] = [], scope: Scope = .session,
    section: String = "appearance"
  ) -> RowSnapshot {
    var row = RowSnapshot(
      scope, path("rows", id),
      .options([
        ("Id", .string(id)), ("Section", .objectPath(path("sections", section))),
        ("State", .string("off")), ("Available", .boolean(true)),
        ("IconColor", .string("#007aff")), ("IconForeground", .string("#ffffff")),
        ("SwitchColor", .string("#34c759")), ("Style", .string("automatic")),
        ("Backend", .string("stored")),
      ]))
    row.apply(.options(properties))
    return row
  }

  static func section(
    _ id: String, _ titles: [(String, String)], footer: String = "", order: Int32 = 0,
    scope: Scope = .session
  ) -> SectionSnapshot {
    SectionSnapshot(
      scope, path("sections", id),
      .options([
        ("Id", .string(id)), ("Title", .string("own")), ("Titles", texts(titles)),
        ("Footers", texts([("", footer)])), ("Order", .int32(order)),
      ]))
  }

  static let night = row(
    "night",
    [
      ("Titles", texts([("", "Night Mode"), ("es", "Modo nocturno")])),
      ("Subtitles", texts([("", "Dark colours after sunset"), ("es", "Colores oscuros")])),
      ("Keywords", .strings(["dark", "oscuro"])), ("Order", .int32(1)),
      ("IconColor", .string("#5856d6")), ("State", .string("on")), ("IsOn", .boolean(true)),
      ("Symbol", .string("weather-clear-night-symbolic")),
      ("OnSymbol", .string("object-select-symbolic")),
      ("OffSymbol", .string("window-close-symbolic")),
      ("Schedule", .string("sunset-sunrise")), ("Automatic", .boolean(true)),
      ("NextChange", .uint64(1_796_061_720_000_000)),
    ])

  static let wifi = row(
    "wifi",
    [
      ("Titles", texts([("", "Wi-Fi")])), ("State", .string("unknown")), ("IsOn", .boolean(true)),
      ("Available", .boolean(false)), ("Reason", .string("no-service")),
      ("ReasonText", .string("net.example is not running")),
    ], scope: .system, section: "network")

  static let privacy = row(
    "privacy",
    [
      ("Titles", texts([("", "Privacy")])), ("Order", .int32(2)), ("State", .string("mixed")),
      ("Target", .string("on")), ("IconColor", .string("#8e8e93")),
      (
        "Holds",
        .array(
          of: .dictionary(key: .string, value: .variant),
          [
            .options([
              ("Cookie", .uint32(7)), ("On", .boolean(true)), ("Reason", .string("a \"call\"")),
              ("ApplicationId", .string("org.example.App")),
            ])
          ])
      ),
    ], section: "network")

  static let board = Board(
    sections: [
      section("network", [("", "Network"), ("es", "Red")], footer: "Radios and more.", order: 2),
      section("appearance", [("", "Appearance"), ("es", "Apariencia")], order: 1),
    ],
    rows: [wifi, privacy, night, row("dnd", [("Titles", texts([("", "Do Not Disturb")]))])])
}
