// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import System
import TestSupport
import Testing

@MainActor
@Suite("Flips through the bus", .serialized)
struct DaemonFlipTests {
  @Test("SetOn is answered after the signals: the row's own, then the board's")
  func signalsThenReply() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    try peer.setOn("lamp", true)
    try peer.expectJournal([
      "rows/lamp Row1 Target='on'",
      "rows/lamp Row1 IsOn=true State='on' Target=''",
      "/org/toggled Switches1 lamp=true",
      "SetOn: true",
    ])
    #expect(try peer.row("lamp", "IsOn") == "true")
    #expect(try peer.row("lamp", "State") == "'on'")
  }

  @Test("a backend that is done at once gives one signal an interface, without a Target between")
  func oneSignal() throws {
    let stage = try Stage(.session)
    let path = try stage.directory.write("0\n", to: "knob")
    try stage.write("knob.row", RowText.file(path))
    try stage.start()
    let peer = try Peer(stage)
    try peer.setOn("knob", true)
    try peer.expectJournal([
      "rows/knob Row1 IsOn=true State='on'", "/org/toggled Switches1 knob=true", "SetOn: true",
    ])
  }

  @Test("a locked row that is put right at once tells of nothing, nor does the board")
  func putRight() throws {
    let stage = try Stage(.session)
    let path = try stage.directory.write("0\n", to: "knob")
    try stage.write("knob.row", RowText.file(path, "Default=off\nLocked=true"))
    try stage.start()
    let peer = try Peer(stage)
    try peer.wait("the first reading") { (try? peer.state("knob")) == "off (locked)" }
    _ = try peer.takeJournal()
    try stage.directory.write("1\n", to: "knob")
    try peer.wait("the lock") { (try? Files.read(path, limit: 8)) == Array("0\n".utf8) }
    // Its answer comes after whatever there was to tell.
    _ = try peer.row("knob", "State")
    try peer.expectJournal([])
  }

  @Test(
    "every way to write flips and answers after the signals",
    arguments: ["SetOn", "Toggle", "Set", "Switches1", "Apply"])
  func everyWay(_ way: String) throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    let call =
      switch way {
      case "SetOn": peer.sendSetOn("lamp", true)
      case "Toggle": peer.send("Toggle", of: .row, at: .row("lamp"))
      case "Set": peer.sendSet("IsOn", of: .row, at: .row("lamp"), to: .boolean(true))
      case "Switches1": peer.sendSet("lamp", of: .switches, at: .toggled, to: .boolean(true))
      default: peer.sendApply([("lamp", true)])
      }
    try peer.wait(for: call)
    let journal = try peer.takeJournal()
    #expect(
      journal.dropLast() == [
        "rows/lamp Row1 Target='on'", "rows/lamp Row1 IsOn=true State='on' Target=''",
        "/org/toggled Switches1 lamp=true",
      ])
    let answers = [
      "SetOn": "SetOn: true", "Toggle": "Toggle: true", "Set": "Set:", "Switches1": "Set:",
      "Apply": "Apply: {'lamp': (true, '', '')}",
    ]
    #expect(journal.last == answers[way])
  }

  @Test("setting what already is succeeds, writes nothing and says nothing")
  func noChange() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored("Lamp", "Default=on")])
    let peer = try Peer(stage)
    try peer.setOn("lamp", true)
    try peer.wait(for: peer.sendSet("IsOn", of: .row, at: .row("lamp"), to: .boolean(true)))
    try peer.wait(for: peer.sendSet("lamp", of: .switches, at: .toggled, to: .boolean(true)))
    try peer.wait(for: peer.sendApply([("lamp", true)]))
    try peer.expectJournal([
      "SetOn: false", "Set:", "Set:", "Apply: {'lamp': (false, '', '')}",
    ])
    #expect(try stage.storedFiles() == [])
  }

  @Test("reading never writes, and a refresh without news says nothing")
  func readingDoesNotWrite() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored("Lamp", "Default=on")])
    let peer = try Peer(stage)
    _ = try peer.getAll(.row, at: .row("lamp"))
    _ = try peer.getAll(.switches, at: .toggled)
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    try peer.expectJournal(["Refresh:"])
    #expect(try stage.storedFiles() == [])
  }

  @Test("off on a mixed row acts, and Toggle of it turns all on")
  func mixed() throws {
    let stage = try Stage.serving([
      "a.row": RowText.stored("A", "Default=on"), "b.row": RowText.stored("B"),
      "both.row": RowText.group("a;b"),
    ])
    let peer = try Peer(stage)
    #expect(try peer.state("both") == "mixed")
    #expect(try peer.row("both", "IsOn") == "false")
    #expect(try peer.toggle("both") == [.boolean(true)])
    #expect(try peer.state("both") == "on")
    #expect(try [peer.state("a"), peer.state("b")] == ["on", "on"])
    try peer.setOn("b", false)
    #expect(try peer.state("both") == "mixed")
    #expect(try peer.setOn("both", false) == [.boolean(true)])
    #expect(try [peer.state("a"), peer.state("b")] == ["off", "off"])
  }

  @Test("a group that is flipped does not pass through mixed, and its members come with it")
  func groupSignals() throws {
    let stage = try Stage.serving([
      "a.row": RowText.stored("A"), "b.row": RowText.stored("B"),
      "both.row": RowText.group("a;b"),
    ])
    let peer = try Peer(stage)
    try peer.setOn("both", true)
    let journal = try peer.takeJournal()
    #expect(!journal.contains { $0.contains("mixed") })
    #expect(journal.last == "SetOn: true")
    let own = journal.filter { $0.hasPrefix("rows/both ") }
    #expect(own == ["rows/both Row1 Target='on'", "rows/both Row1 IsOn=true State='on' Target=''"])
    let switches = journal.filter { $0.hasPrefix("/org/toggled Switches1") }.joined()
    #expect(["a=true", "b=true", "both=true"].allSatisfy(switches.contains))
  }

  @Test("two that toggle at once flip twice")
  func twoToggles() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let (first, second) = (try Peer(stage), try Peer(stage))
    let calls = [first, second].map { $0.send("Toggle", of: .row, at: .row("lamp")) }
    try first.wait(for: calls[0])
    try second.wait(for: calls[1])
    #expect(try first.row("lamp", "IsOn") == "false")
    #expect(try second.takeJournal().filter { $0.contains("IsOn=") }.count == 2)
  }

  @Test("Toggle of an unknown row reads it first, and does not guess")
  func toggleUnknown() throws {
    let stage = try Stage(.session)
    let path = stage.directory.path("knob")
    try stage.write("knob.row", RowText.file(path))
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.state("knob") == "unknown (not-found)")
    let error = try peer.error(of: peer.send("Toggle", of: .row, at: .row("knob")))
    #expect(error.name == "org.toggled.Error.Unavailable")
    #expect(error.message.contains("knob") && error.message.contains(path))
  }

  @Test("what the backend refuses is told with its reason, and nothing is announced")
  func refusedByBackend() throws {
    let stage = try Stage(.session)
    let path = stage.directory.path("knob")
    try stage.write("knob.row", RowText.file(path))
    try stage.start()
    let peer = try Peer(stage)
    let error = try peer.error(of: peer.sendSetOn("knob", true))
    #expect(error.name == "org.toggled.Error.Unavailable")
    #expect(error.message.hasPrefix("row knob: can't write \(path): "), "\(error)")
    try peer.expectJournal(["SetOn: !org.toggled.Error.Unavailable"])
  }

  @Test("a seventeenth flip that waits is refused, and the sixteen are answered")
  func pendingLimit() throws {
    let stage = try Stage(.session, ["mute.row": RowText.mute()])
    let service = try SceneService.holding(on: stage)
    try stage.start()
    let peer = try Peer(stage)
    try peer.awaitState("mute", "off")
    let calls = (0..<16).map { _ in peer.sendSetOn("mute", true) }
    let error = try peer.error(of: peer.sendSetOn("mute", true, label: "Excess"))
    #expect(error.name == "org.freedesktop.DBus.Error.LimitsExceeded")
    // Another client is not kept out by it.
    let other = try Peer(stage)
    let another = other.sendSetOn("mute", true)
    try other.settle()
    #expect((calls + [another]).allSatisfy { $0.outcome == nil })
    try service.release()
    for call in calls { try peer.wait(for: call) }
    try other.wait(for: another)
    #expect(try peer.setOn("mute", false) == [.boolean(true)])
  }

  @Test("a newer wish replaces the waiting one")
  func superseded() throws {
    let stage = try Stage(.session, ["mute.row": RowText.mute()])
    let service = try SceneService.holding(on: stage)
    try stage.start()
    let peer = try Peer(stage)
    try peer.awaitState("mute", "off")
    let first = peer.sendSetOn("mute", true, label: "first")
    let second = peer.sendSetOn("mute", false, label: "second")
    let third = peer.sendSetOn("mute", true, label: "third")
    try peer.settle()
    try service.release()
    #expect(try peer.wait(for: first) == [.boolean(true)])
    try peer.wait(for: third)
    #expect(try peer.error(of: second).name == "org.toggled.Error.Superseded")
    #expect(try peer.state("mute") == "on")
    #expect(service.countCalls("Set") == 1)
  }

  @Test("a flip that begins in the answer to another has signals of its own, each told once")
  func flipWithinAnswer() throws {
    let stage = try Stage.serving([
      "a.row": RowText.stored("A"), "group.row": RowText.group("a"),
    ])
    let peer = try Peer(stage)
    // The group's second wish begins while the first flip of its member is being answered.
    let calls = [peer.sendSetOn("group", true), peer.sendSetOn("group", false)]
    for call in calls { try peer.wait(for: call) }
    let own = try peer.takeJournal().filter { $0.hasPrefix("rows/a ") }
    #expect(
      own == [
        "rows/a Row1 Target='on'", "rows/a Row1 IsOn=true State='on' Target=''",
        "rows/a Row1 Target='off'", "rows/a Row1 IsOn=false State='off' Target=''",
      ])
  }
}
