// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import System
import TestSupport
import Testing

/// Several rows at once, and what belongs to none of them.
@MainActor
@Suite("The whole board through the bus", .serialized)
struct DaemonBoardTests {
  @Test("Apply tries every row and answers for each, and its signals come before the answer")
  func apply() throws {
    let stage = try Stage.serving([
      "a.row": RowText.stored("A"), "b.row": RowText.stored("B", "Default=on"),
      "locked.row": RowText.stored("L", "Default=off\nLocked=true"),
    ])
    let peer = try Peer(stage)
    let results = try peer.wait(
      for: peer.sendApply([
        ("a", true), ("locked", true), ("b", true), ("no_such", true), ("", true),
      ]))
    guard case .dictionary(_, _, let entries)? = results.first else {
      Issue.record("Apply answers \(results)")
      return
    }
    let outcome = Dictionary(
      uniqueKeysWithValues: entries.map { entry -> (String, [String]) in
        guard case .structure(let members) = entry.value else { return ("", []) }
        return (entry.key.asString ?? "", members.prefix(2).map(\.text))
      })
    #expect(
      outcome == [
        "a": ["true", "''"], "b": ["false", "''"],
        "locked": ["false", "'org.toggled.Error.Locked'"],
        "no_such": ["false", "'org.freedesktop.DBus.Error.UnknownObject'"],
        "": ["false", "'org.freedesktop.DBus.Error.UnknownObject'"],
      ])
    let journal = try peer.takeJournal()
    #expect(
      journal.dropLast() == [
        "rows/a Row1 Target='on'", "rows/a Row1 IsOn=true State='on' Target=''",
        "/org/toggled Switches1 a=true",
      ])
    #expect(journal.last?.hasPrefix("Apply: ") == true)
  }

  @Test("rows that change together are told each by itself, and then once on the board")
  func together() throws {
    let stage = try Stage(.session)
    let knobs = try ["a", "b", "c"].map { try stage.directory.write("0\n", to: "knob-\($0)") }
    for (id, knob) in zip(["a", "b", "c"], knobs) {
      try stage.write("\(id).row", RowText.file(knob))
    }
    try stage.start()
    let peer = try Peer(stage)
    try peer.wait(for: peer.sendApply([("a", true), ("b", true), ("c", true)]))
    let journal = try peer.takeJournal()
    let lastOfRows = try #require(journal.lastIndex { $0.hasPrefix("rows/") })
    let board = journal.filter { $0.hasPrefix("/org/toggled Switches1 ") }
    #expect(journal.filter { $0.contains("IsOn=true") }.count == 3)
    #expect(board.count == 1, "\(journal)")
    for id in ["a", "b", "c"] { #expect(board.first?.contains("\(id)=true") == true) }
    #expect(journal[lastOfRows + 1] == board.first)
    #expect(journal.last?.hasPrefix("Apply: ") == true)
  }

  @Test("Apply of nothing answers nothing")
  func applyNothing() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    try peer.wait(for: peer.sendApply([]))
    try peer.expectJournal(["Apply: @a{s(bss)} {}"])
  }

  @Test("what later versions bring answers NotSupported, with the types of the contract")
  func holds() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    for call in [
      peer.send(
        "Hold", of: .row, at: .row("lamp"), [.boolean(true), .string("film"), .string("app")]),
      peer.send("Release", of: .row, at: .row("lamp"), [.uint32(1)]),
    ] {
      let error = try peer.error(of: call)
      #expect(error.name == .notSupported)
      #expect(error.message.contains("lamp"))
    }
  }

  @Test("changes from outside are throttled, and the last one always gets out")
  func flapping() throws {
    let stage = try Stage(.session)
    let knob = try stage.directory.write("0\n", to: "knob")
    try stage.write("knob.row", RowText.file(knob))
    try stage.start()
    let peer = try Peer(stage)
    let begin = EventLoop.now
    // Each value comes whole, as a file in the place of the one before.
    let loop = "i=0; while [ $i -le 400 ]; do echo $((1 - i % 2)) >$0.new; mv $0.new $0; "
    let writer = try Program(["/bin/sh", "-c", loop + "i=$((i + 1)); done", knob])
    while writer.exitStatus == nil {
      let shown = try peer.get("IsOn", of: .row, at: .row("knob"))
      // What Get answers is what was announced last.
      let before = peer.journal.prefix(
        through: peer.journal.lastIndex { $0.hasPrefix("Get:") } ?? 0)
      let announced = before.last { $0.hasPrefix("rows/knob") && $0.contains("IsOn=") }
      #expect(announced?.contains("IsOn=\(shown.text)") ?? (shown == .boolean(false)))
    }
    try peer.wait("the last value") {
      (try? peer.state("knob")) == "on" && peer.journal.contains { $0.contains("State='on'") }
    }
    let duration = EventLoop.now - begin
    let announcements = peer.journal.filter { $0.hasPrefix("rows/knob") }.count
    #expect(Double(announcements) <= duration / .milliseconds(50) + 2)
    #expect(announcements > 0)
  }

  @Test("a change from outside is announced as one signal an interface")
  func outsideChange() throws {
    let stage = try Stage(.session)
    let knob = try stage.directory.write("0\n", to: "knob")
    try stage.write("knob.row", RowText.file(knob))
    try stage.start()
    let peer = try Peer(stage)
    try stage.directory.write("1\n", to: "knob")
    try peer.wait { $0.hasPrefix("/org/toggled Switches1") }
    try peer.expectJournal([
      "rows/knob Row1 IsOn=true State='on'", "/org/toggled Switches1 knob=true",
    ])
  }

  @Test("loss is not off: the value stays, the state is unknown, and it returns")
  func loss() throws {
    let stage = try Stage(.session)
    let knob = try stage.directory.write("1\n", to: "knob")
    try stage.write("knob.row", RowText.file(knob))
    try stage.start()
    let peer = try Peer(stage)
    try Files.remove(knob)
    try peer.wait { $0.contains("State='unknown'") }
    #expect(try peer.state("knob") == "unknown (not-found)")
    #expect(try peer.row("knob", "IsOn") == "true")
    #expect(try peer.row("knob", "Available") == "false")
    #expect(
      try peer.takeJournal().allSatisfy { !$0.contains("IsOn=") && !$0.contains("Switches1") })
    try stage.directory.write("1\n", to: "knob")
    try peer.wait { $0.contains("State='on'") }
    #expect(try peer.state("knob") == "on")
  }

  @Test("an exclusive group turns the others off before the caller is answered")
  func exclusive() throws {
    let stage = try Stage.serving([
      "a.row": RowText.stored("A", "Default=on"), "b.row": RowText.stored("B"),
      "one.row": RowText.group("a;b", backend: "Exclusive=true"),
    ])
    let peer = try Peer(stage)
    try peer.setOn("b", true)
    let journal = try peer.takeJournal()
    #expect(journal.last == "SetOn: true")
    #expect(journal.contains { $0.hasPrefix("rows/a Row1 IsOn=false State='off'") })
    #expect(try [peer.state("a"), peer.state("b")] == ["off", "on"])
  }
}
