// SPDX-License-Identifier: MIT

import DBusTypes
import Settings
import Testing

@testable import Client

@Suite("Rows and boards")
struct ModelTests {
  @Test("a row takes over what its properties say")
  func properties() {
    let row = Sample.night
    #expect(row.id == "night")
    #expect(row.section == "appearance")
    #expect(row.title.text(for: Locale("es_ES.UTF-8")) == "Modo nocturno")
    #expect(row.title.text(for: .untranslated) == "Night Mode")
    #expect(row.keywords == ["dark", "oscuro"])
    #expect(row.order == 1)
    #expect(row.isOn && row.isAvailable && row.isAutomatic)
    #expect(row.state == .on)
    #expect(row.nextChange == 1_796_061_720_000_000)
    #expect(
      Sample.privacy.holds == [
        .init(cookie: 7, on: true, reason: "a \"call\"", applicationID: "org.example.App")
      ])
  }

  @Test("the title in the daemon's language serves where there are no translations")
  func ownTitle() {
    let row = Sample.row("a", [("Title", .string("Own"))])
    #expect(row.heading(.untranslated) == "Own")
    for properties: [(String, Value)] in [
      [("Title", .string("Eigen")), ("Titles", Sample.texts([("", "Plain")]))],
      [("Titles", Sample.texts([("", "Plain")])), ("Title", .string("Eigen"))],
    ] {
      #expect(Sample.row("a", properties).heading(.untranslated) == "Plain")
    }
    #expect(Sample.row("a").heading(.untranslated) == "a")
  }

  @Test("properties of wrong types and unknown ones change nothing")
  func hostile() {
    let before = Sample.night
    var row = before
    row.apply(
      .options([
        ("State", .boolean(true)), ("IsOn", .string("yes")), ("Titles", .string("x")),
        ("Holds", .uint32(1)), ("Order", .string("1")), ("NextChange", .int32(-1)),
        ("Section", .string("x")), ("Novelty", .double(1)), ("Keywords", .boolean(false)),
      ]))
    row.apply(.string("no dictionary"))
    row.apply(.dictionary(key: .uint32, value: .uint32, entries: [.init(.uint32(1), .uint32(2))]))
    #expect(row == before)
  }

  @Test("a state of a later contract is unknown, never off")
  func newState() {
    #expect(Sample.row("a", [("State", .string("dimmed"))]).state == .unknown)
  }

  @Test("rows come by section, order and id, and sections by order and id")
  func order() {
    #expect(Sample.board.rows.map(\.id) == ["dnd", "night", "wifi", "privacy"])
    #expect(Sample.board.sections.map(\.id) == ["appearance", "network"])
    #expect(Sample.board.groups().map(\.section.id) == ["appearance", "network"])
  }

  @Test("a section of both buses is one group, with the session's texts")
  func merging() {
    let board = Board(
      sections: [
        Sample.section("net", [("", "System's")], scope: .system),
        Sample.section("net", [("", "User's")]),
      ],
      rows: [
        Sample.row("b", scope: .system, section: "net"),
        Sample.row("a", scope: .system, section: "net"),
        Sample.row("b", section: "net"), Sample.row("c", section: "none"),
      ])
    let groups = board.groups()
    #expect(groups.map { $0.section.title.text(for: .untranslated) } == ["User's", ""])
    #expect(groups[0].rows.map(\.id) == ["a", "b", "b"])
    #expect(groups[0].rows.map(\.scope) == [.system, .session, .system])
    #expect(board.ambiguous == ["b"])
  }

  @Test(
    "words find rows by id, title, subtitle, keywords and section title, in any language",
    arguments: [
      ([], ["dnd", "night", "wifi", "privacy"]),
      (["NIGHT"], ["night"]),
      (["nocturno"], ["night"]),
      (["sunset"], ["night"]),
      (["oscuros", "dark"], ["night"]),
      (["disturb", "apariencia"], ["dnd"]),
      (["wi-fi"], ["wifi"]),
      (["wi"], ["wifi"]),
      (["network", "priv"], ["privacy"]),
      (["network", "zzz"], []),
    ] as [([String], [String])])
  func filter(words: [String], expected: [String]) {
    #expect(Sample.board.matching(words).rows.map(\.id) == expected)
  }

  @Test("words match whatever the case, the dash and the way letters are composed")
  func folding() {
    let row = Sample.row("a_b", [("Titles", Sample.texts([("", "ÉCLAIRAGE"), ("de", "Größe")]))])
    for word in ["éclair", "e\u{301}clair", "A-B", "größe", ""] {
      #expect(RowFilter([word]).matches(row, in: nil))
    }
    #expect(!RowFilter(["eclair"]).matches(row, in: nil))
  }
}
