// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// Row files that come, change and go while the daemon runs.
@MainActor
@Suite("Row files of a running daemon", .serialized)
struct DaemonFilesTests {
  @Test("a new row is announced after its section, and on the board")
  func newRow() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    try stage.write("home.section", "[Section]\nTitle=Home\n")
    try stage.write("fan.row", RowText.stored("Fan", "Section=home\nDefault=on"))
    try peer.wait { $0.contains("fan=true") }
    try peer.expectJournal([
      "+sections/home Section1", "+rows/fan Row1",
      "rows/fan Row1 IsOn=true State='on' Available=true",
      "/org/toggled Manager1 Rows=uint32 2", "/org/toggled Switches1 fan=true",
    ])
    #expect(try peer.state("fan") == "on")
  }

  @Test("a row that goes is invalidated on the board, and its section goes after it")
  func goneRow() throws {
    let stage = try Stage.serving([
      "lamp.row": RowText.stored(), "fan.row": RowText.stored("Fan", "Section=home"),
      "home.section": "[Section]\nTitle=Home\n",
    ])
    let peer = try Peer(stage)
    try stage.remove("fan.row")
    try peer.wait { $0.contains("-fan") }
    try peer.expectJournal([
      "-rows/fan Row1", "/org/toggled Switches1 -fan", "-sections/home Section1",
      "/org/toggled Manager1 Rows=uint32 1",
    ])
    let error = try peer.error(of: peer.sendSetOn("fan", true))
    #expect(error.name == .unknownObject)
    let property = peer.sendSet("fan", of: .switches, at: .toggled, to: .boolean(true))
    #expect(try peer.error(of: property).name == .unknownProperty)
  }

  @Test("an edited row keeps its object and tells only what differs")
  func editedRow() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored("Lamp", "IconColor=red")])
    let peer = try Peer(stage)
    try peer.setOn("lamp", true)
    _ = try peer.takeJournal()
    try stage.write("lamp.row", RowText.stored("Light", "Title[es]=Luz\nIconColor=yellow"))
    try peer.wait { $0.contains("Title=") }
    try peer.expectJournal([
      "rows/lamp Row1 Title='Light' Titles=\(try peer.row("lamp", "Titles")) "
        + "IconColor='#ffcc00' IconForeground='#000000'"
    ])
    #expect(try peer.state("lamp") == "on")
  }

  @Test("a file that is written again as it was says nothing")
  func sameFile() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    try stage.write("lamp.row", RowText.stored())
    // What comes later in the same directory is told: the first was looked at by then.
    try stage.write("fan.row", RowText.stored("Fan"))
    try peer.wait(for: "+rows/fan Row1")
    #expect(try !peer.takeJournal().contains { $0.hasPrefix("rows/lamp") })
  }

  @Test("a row that moves to another section is told so, and the sections come and go around it")
  func movedRow() throws {
    let stage = try Stage.serving([
      "lamp.row": RowText.stored("Lamp", "Section=home"),
      "home.section": "[Section]\nTitle=Home\n", "desk.section": "[Section]\nTitle=Desk\n",
    ])
    let peer = try Peer(stage)
    try stage.write("lamp.row", RowText.stored("Lamp", "Section=desk"))
    try peer.wait { $0.hasPrefix("-sections/home") }
    #expect(
      try Set(peer.takeJournal()) == [
        "+sections/desk Section1",
        "rows/lamp Row1 Section=objectpath '/org/toggled/sections/desk'",
        "-sections/home Section1",
      ])
  }

  @Test("a file written in place, moved in, and linked in is noticed", arguments: 0..<3)
  func arrivals(_ kind: Int) throws {
    let stage = try Stage.serving([:])
    let peer = try Peer(stage)
    let text = RowText.stored()
    let outside = try stage.directory.write(text, to: "outside.row")
    switch kind {
    case 0:
      let command = "printf '[Row]\\n' >lamp.row; printf 'Title=Lamp\\n[Backend]\\n' >>lamp.row; "
      _ = try Program.run(
        ["/bin/sh", "-c", command + "echo Type=stored >>lamp.row"], directory: stage.rows)
    case 1: try Files.rename(outside, to: "\(stage.rows)/lamp.row")
    default: _ = try systemCall { symlink(outside, "\(stage.rows)/lamp.row") }
    }
    try peer.wait(for: "+rows/lamp Row1")
    #expect(try peer.row("lamp", "Title") == "'Lamp'")
  }

  @Test("a directory that appears later is read and watched")
  func lateDirectory() throws {
    let stage = try Stage(.session)
    _ = try systemCall { rmdir(stage.rows) }
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.get("Rows", of: .manager, at: .toggled) == .uint32(0))
    try stage.write("lamp.row", RowText.stored())
    try peer.wait(for: "+rows/lamp Row1")
    try stage.write("fan.row", RowText.stored("Fan"))
    try peer.wait(for: "+rows/fan Row1")
  }

  @Test("a bad file keeps its earlier good version, and says what is wrong with it")
  func badVersion() throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    try stage.write("lamp.row", "[Row]\nTitle=Lamp\nColour=red\n[Backend]\nType=stored\n")
    try peer.wait { $0.contains("ConfigErrors=") }
    let errors = try peer.get("ConfigErrors", of: .manager, at: .toggled)
    guard case .array(_, let entries) = errors, case .structure(let error)? = entries.first else {
      Issue.record("ConfigErrors is \(errors.text)")
      return
    }
    #expect(error[0] == .string("\(stage.rows)/lamp.row"))
    #expect(error[1] == .uint32(3))
    #expect(error[2].asString?.contains("Colour") == true)
    try stage.waitForLog("lamp.row:3: ")
    #expect(try peer.setOn("lamp", true) == [.boolean(true)])

    // Mended, the error goes.
    try stage.write("lamp.row", RowText.stored("Light"))
    try peer.wait(for: "/org/toggled Manager1 ConfigErrors=@a(sus) []")
    #expect(try peer.row("lamp", "Title") == "'Light'")
    #expect(try peer.state("lamp") == "on")
  }

  @Test("a file that was bad from the start is skipped, and every other row works")
  func badFromTheStart() throws {
    let stage = try Stage.serving([
      "lamp.row": RowText.stored(), "bad.row": "[Row]\nTitle=Bad\n",
      "Wrong-Name.row": RowText.stored(), "later.row": "[Row]\nTitle=L\n[Backend]\nType=file\n",
    ])
    let peer = try Peer(stage)
    #expect(try peer.get("Rows", of: .manager, at: .toggled) == .uint32(1))
    let errors = try peer.get("ConfigErrors", of: .manager, at: .toggled).text
    for part in ["bad.row", "Wrong-Name.row", "later.row", "Path"] {
      #expect(errors.contains(part), "\(errors)")
    }
    #expect(try peer.setOn("lamp", true) == [.boolean(true)])
  }

  @Test("Reload and SIGHUP read the files again", arguments: ["Reload", "SIGHUP"])
  func reload(_ way: String) throws {
    let stage = try Stage.serving(["lamp.row": RowText.stored()])
    let peer = try Peer(stage)
    try stage.write("lamp.row", RowText.stored("Light"))
    if way == "Reload" {
      // The answer comes when it is done; the watch alone would take its time.
      try peer.call("Reload", of: .manager, at: .toggled)
      #expect(try peer.row("lamp", "Title") == "'Light'")
      #expect(try peer.takeJournal().first?.hasPrefix("rows/lamp Row1 Title='Light'") == true)
    } else {
      try stage.daemon?.send(SIGHUP)
      try peer.wait { $0.hasPrefix("rows/lamp Row1 Title='Light'") }
    }
  }

  @Test("another backend in the file starts anew, and what waited for the old one is told")
  func otherBackend() throws {
    let stage = try Stage(.session, ["row.row": RowText.mute()])
    let service = try MuteService(on: stage)
    defer { withExtendedLifetime(service) {} }
    try stage.start()
    let peer = try Peer(stage)
    let call = peer.sendSetOn("row", true)
    try peer.wait(for: "rows/row Row1 Target='on'")
    try stage.write("row.row", RowText.stored("Row", "Default=on"))
    #expect(try peer.error(of: call).name == "org.toggled.Error.Unavailable")
    try peer.wait { $0.contains("State='on'") }
    #expect(try peer.row("row", "Backend") == "'stored'")
    #expect(try peer.row("row", "Target") == "''")
  }

  @Test("a row that goes while it is flipped answers, and leaves no signal behind")
  func goneWhileFlipped() throws {
    let stage = try Stage(.session, ["row.row": RowText.mute()])
    let service = try MuteService(on: stage)
    defer { withExtendedLifetime(service) {} }
    try stage.start()
    let peer = try Peer(stage)
    let call = peer.sendSetOn("row", true)
    try peer.wait(for: "rows/row Row1 Target='on'")
    try stage.remove("row.row")
    #expect(try peer.error(of: call).name == .unknownObject)
    let journal = try peer.takeJournal()
    let removal = try #require(journal.firstIndex(of: "-rows/row Row1"))
    #expect(!journal[removal...].contains { $0.hasPrefix("rows/row ") })
  }
}
