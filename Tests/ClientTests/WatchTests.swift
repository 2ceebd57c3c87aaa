// SPDX-License-Identifier: MIT

import DBusTypes
import Settings
import Testing

@testable import Client

@Suite("Watching")
struct WatchTests {
  private func log(_ rows: [RowSnapshot], selection: Set<String>? = nil) -> WatchLog {
    var log = WatchLog(.untranslated, selection: selection)
    _ = log.begin(Board(sections: [], rows: rows))
    return log
  }

  private func text(_ events: [WatchEvent]) -> String {
    events.map { $0.text(.untranslated, isAmbiguous: false) }.joined()
  }

  private let path = Sample.path("rows", "a")
  private let on = Value.options([("State", .string("on")), ("IsOn", .boolean(true))])

  @Test("it begins with all rows as they are")
  func begin() {
    var log = WatchLog(.untranslated, selection: nil)
    let events = log.begin(Sample.board)
    #expect(
      text(events) == """
        dnd off
        night on
        wifi unknown reason=no-service
        privacy mixed target=on

        """)
    #expect(events.allSatisfy { $0.kind == .snapshot })
    #expect(events[0].changed == Sample.night.json(.untranslated).map(\.key))
  }

  @Test("a change tells which keys changed")
  func change() {
    var log = log([Sample.row("a")])
    let events = log.changed(.session, path, on)
    #expect(events.map(\.changed) == [["is_on", "state"]])
    #expect(text(events) == "a on\n")
    #expect(log.changed(.session, path, on) == [])

    let json = events[0].json(.untranslated)
    #expect(json.hasPrefix(#"{"id":"a","bus":"session","#))
    #expect(json.hasSuffix(#""holds":[],"changed":["is_on","state"],"event":"changed"}"# + "\n"))
    #expect(json.split(separator: "\n").count == 1)
  }

  @Test("what else changed stands behind the state")
  func details() {
    var log = log([Sample.row("a")])
    #expect(
      text(log.changed(.session, path, .options([("Target", .string("on"))])))
        == "a off target=on\n")
    let properties: [(String, Value)] = [
      ("Target", .string("")), ("Locked", .boolean(true)), ("Reason", .string("locked")),
      ("Titles", Sample.texts([("", "New \"one\"\u{1b}[m")])),
    ]
    #expect(
      text(log.changed(.session, path, .options(properties)))
        == #"a off reason=locked title="New \"one\"\u001b[m" locked=true"# + "\n")
  }

  @Test("a change in another language is no event")
  func otherLanguage() {
    var log = log([Sample.row("a", [("Titles", Sample.texts([("", "A")]))])])
    let titles = Value.options([("Titles", Sample.texts([("", "A"), ("es", "Á")]))])
    #expect(log.changed(.session, path, titles) == [])
  }

  @Test("rows come and go")
  func comeAndGo() {
    var log = log([])
    #expect(log.changed(.session, path, on) == [])
    #expect(text(log.added(.session, path, on)) == "a on added\n")
    #expect(text(log.removed(.session, path)) == "a removed\n")
    #expect(log.removed(.session, path) == [])
    #expect(log.changed(.session, path, on) == [])
  }

  @Test("a lost daemon's rows are lost, not off, and come back with what differs")
  func restart() {
    let rows = [
      Sample.row("a", [("State", .string("on")), ("IsOn", .boolean(true))]),
      Sample.row("b"), Sample.wifi, Sample.row("s", scope: .system),
    ]
    var log = log(rows)
    let lost = log.lost(.session)
    #expect(text(lost) == "a lost\nb lost\n")
    #expect(lost.allSatisfy { $0.kind == .lost && $0.row.state == .unknown })
    #expect(lost[0].row.isOn)
    #expect(lost[0].json(.untranslated).hasSuffix(#""changed":["state"],"event":"lost"}"# + "\n"))

    let back = log.returned(
      .session, Board(sections: [], rows: [Sample.row("a"), Sample.row("c")]))
    #expect(text(back) == "b removed\na off\nc off added\n")
    #expect(back.map(\.changed.first) == [nil, "is_on", "id"])
    #expect(log.returned(.system, Board(sections: [], rows: Array(rows[2...]))) == [])
  }

  @Test("a daemon that came before its rows changed anything says nothing new")
  func sameAgain() {
    var log = log([Sample.wifi])
    #expect(log.returned(.system, Board(sections: [], rows: [Sample.wifi])) == [])
  }

  @Test("only the rows asked for are told of")
  func selection() {
    var log = log([Sample.row("a"), Sample.row("b")], selection: ["a"])
    #expect(log.changed(.session, Sample.path("rows", "b"), on) == [])
    #expect(log.added(.session, Sample.path("rows", "c"), on) == [])
    #expect(log.removed(.session, Sample.path("rows", "b")) == [])
    #expect(text(log.lost(.session)) == "a lost\n")
  }

  @Test("rows of both buses are kept apart")
  func buses() {
    let both = [Sample.row("a"), Sample.row("a", scope: .system), Sample.row("b")]
    var log = log(both)
    #expect(both.map(log.isAmbiguous) == [true, true, false])
    let events = log.changed(.system, path, on)
    #expect(events.map(\.row.scope) == [.system])
    #expect(events[0].text(.untranslated, isAmbiguous: true) == "a on bus=system\n")
    #expect(log.lost(.session).map(\.row.id) == ["a", "b"])
  }
}
