// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// The system's daemon goes by nothing that somebody else than root could change.
@Suite(
  "files that others could change", .serialized,
  .enabled(if: geteuid() == 0, "needs root, to give files away"))
@MainActor
struct TrustFilesTests {
  private static let stranger: UInt32 = 65534
  private static let lamp = RowText.stored("Lamp", "Bus=system")

  private func errors(_ peer: Peer) throws -> String {
    try peer.get("ConfigErrors", of: .manager, at: .toggled).text
  }

  private func reload(_ peer: Peer) throws {
    try peer.call("Reload", of: .manager, at: .toggled)
  }

  @Test("a row file of another user's is none, and is told of with what to do")
  func owner() throws {
    let stage = try Stage(.system, ["lamp.row": Self.lamp, "fan.row": Self.lamp])
    chown("\(stage.rows)/lamp.row", Self.stranger, Self.stranger)
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.get("Rows", of: .manager, at: .toggled) == .uint32(1))
    let found = try errors(peer)
    #expect(found.contains("\(stage.rows)/lamp.row"))
    #expect(found.contains("belongs to user 65534; chown root"))
    #expect(stage.log.contains("belongs to user 65534"))
    // Once it is root's it counts, without a word to the daemon.
    chown("\(stage.rows)/lamp.row", 0, 0)
    try peer.wait(for: "+rows/lamp Row1")
    #expect(try errors(peer).contains("belongs to") == false)
  }

  @Test("a row file that becomes writable for others keeps what it said before")
  func writable() throws {
    let stage = try Stage.serving(["lamp.row": Self.lamp], on: .system)
    let peer = try Peer(stage)
    try peer.setOn("lamp", true)
    chmod("\(stage.rows)/lamp.row", 0o666)
    try stage.directory.write(
      Self.lamp.replacing("Lamp", with: "Trap"), to: "rows/lamp.row", mode: 0o666)
    try reload(peer)
    #expect(try errors(peer).contains("(mode 0666); chmod go-w"))
    #expect(try peer.row("lamp", "Title") == "'Lamp'")
    #expect(try peer.row("lamp", "IsOn") == "true")
  }

  @Test("a directory of rows, or one above it, that others may change counts for nothing")
  func directory() throws {
    for (name, mode) in [("rows", UInt32(0o777)), ("", 0o770)] {
      let stage = try Stage(.system, ["lamp.row": Self.lamp])
      let path = name.isEmpty ? stage.directory.path : stage.rows
      let sound = try Files.status(path).permissions
      chmod(path, mode)
      try stage.start()
      let peer = try Peer(stage)
      #expect(try peer.get("Rows", of: .manager, at: .toggled) == .uint32(0))
      #expect(try errors(peer).contains("nothing here is read, not even a lock, as others"))
      chmod(path, sound)
      try peer.wait(for: "+rows/lamp Row1")
    }
  }

  @Test(
    "a slip of the administrator's unlocks no row and takes none away, whatever others do then",
    arguments: ["rows", "", "rows/lamp.row.d"])
  func slip(_ name: String) throws {
    let stage = try Stage(
      .system, ["lamp.row": Self.lamp, "fan.row": Self.lamp, "gone.row": Self.lamp])
    try stage.write("lamp.row.d/lock.conf", "[Row]\nLocked=true\nDefault=off\n")
    try stage.start()
    let peer = try Peer(stage)
    let path = name.isEmpty ? stage.directory.path : stage.directory.path(name)
    let sound = try Files.status(path).permissions
    chmod(path, sound | 0o002)
    // A directory above the rows is not watched while it is sound.
    if name.isEmpty { try reload(peer) }
    try peer.wait("the mistake to be told") {
      (try? errors(peer).contains("\(path) may be written by others (mode 0")) == true
    }
    #expect(try errors(peer).contains("chmod go-w \(path)"))
    // Somebody makes use of it.
    try stage.remove("lamp.row.d/lock.conf")
    if name != "rows/lamp.row.d" {
      try stage.remove("gone.row")
      try stage.write("new.row", Self.lamp)
      try stage.write("fan.row", Self.lamp.replacing("Lamp", with: "Trap"))
    }
    try reload(peer)
    let error = try peer.error(of: peer.sendSetOn("lamp", true))
    #expect(error.name == "org.toggled.Error.Locked", "\(error)")
    #expect(try peer.row("fan", "Title") == "'Lamp'")
    #expect(try peer.get("Rows", of: .manager, at: .toggled) == .uint32(3))
    chmod(path, sound)
    try peer.wait("the lock to go") { (try? peer.row("lamp", "Locked")) == "false" }
    #expect(try peer.setOn("lamp", true) == [.boolean(true)])
    #expect(try errors(peer).contains("others than root") == false)
  }

  @Test("drop-ins that others may change count for nothing, and the row stays as it is")
  func dropIns() throws {
    let stage = try Stage(.system, ["lamp.row": Self.lamp])
    try stage.write("lamp.row.d/own.conf", "[Row]\nTitle=Own\n")
    try stage.write("lamp.row.d/theirs.conf", "[Row]\nTitle=Theirs\n")
    chown("\(stage.rows)/lamp.row.d/theirs.conf", Self.stranger, Self.stranger)
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.row("lamp", "Title") == "'Own'")
    #expect(try errors(peer).contains("theirs.conf belongs to user 65534"))
    #expect(stage.log.contains("theirs.conf: nothing here is read, not even a lock of row 'lamp'"))
    try stage.stop()
    chown("\(stage.rows)/lamp.row.d", Self.stranger, Self.stranger)
    try stage.start()
    let next = try Peer(stage)
    #expect(try next.row("lamp", "Title") == "'Lamp'")
    #expect(try errors(next).contains("lamp.row.d belongs to user 65534"))
  }

  @Test("a link counts where nobody else could change what it leads to")
  func links() throws {
    let stage = try Stage(.system)
    for name in ["sound", "theirs"] {
      try stage.directory.write(Self.lamp, to: "\(name)/\(name).row")
      symlink("../\(name)/\(name).row", "\(stage.rows)/\(name).row")
    }
    symlink("/dev/null", "\(stage.rows)/masked.row")
    chown(stage.directory.path("theirs"), Self.stranger, Self.stranger)
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.state("sound") == "off")
    let error = try peer.error(of: peer.sendSetOn("theirs", true))
    #expect(error.name == .unknownObject)
    let found = try errors(peer)
    #expect(found.contains("/theirs belongs to user 65534"))
    #expect(!found.contains("masked"))
  }

  @Test("a session's daemon takes its rows as they are")
  func session() throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored()])
    chmod("\(stage.rows)/lamp.row", 0o666)
    try stage.start()
    #expect(try Peer(stage).state("lamp") == "off")
  }

  // MARK: What rows lead to

  @Test("a file row whose way somebody else could turn is neither read nor written")
  func fileRows() throws {
    let stage = try Stage(.system)
    let secret = try stage.directory.write("root:secret\n", to: "secret", mode: 0o600)
    try stage.directory.makeDirectory("home")
    let knob = stage.directory.path("home/knob")
    symlink(secret, knob)
    chown(stage.directory.path("home"), Self.stranger, Self.stranger)
    try stage.write("knob.row", RowText.file(knob, "Bus=system"))
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.state("knob") == "unknown (no-access)")
    let text = try peer.row("knob", "ReasonText")
    #expect(text.contains("/home belongs to user 65534"), "\(text)")
    #expect(!text.contains("secret:") && !text.contains("root:"), "\(text)")
    let error = try peer.error(of: peer.sendSetOn("knob", true))
    #expect(error.name == .accessDenied, "\(error)")
    #expect(try Files.read(secret, limit: 100) == Array("root:secret\n".utf8))
    // The same row is any other once the directory is root's.
    chown(stage.directory.path("home"), 0, 0)
    try Files.remove(knob)
    try stage.directory.write("0\n", to: "home/knob")
    try peer.call("Refresh", of: .row, at: .row("knob"))
    #expect(try peer.state("knob") == "off")
    try peer.setOn("knob", true)
    #expect(try Files.read(knob, limit: 100) == Array("1\n".utf8))
  }

  @Test("what a file that not everyone may read holds is not told to everyone")
  func secrets() throws {
    let stage = try Stage(.system)
    for (name, mode) in [("closed", UInt32(0o600)), ("open", 0o644)] {
      let path = try stage.directory.write("hush\n", to: name, mode: mode)
      try stage.write("\(name).row", RowText.file(path, "Bus=system"))
    }
    try stage.start()
    let peer = try Peer(stage)
    #expect(try peer.state("closed") == "unknown (unrecognised)")
    #expect(try peer.row("closed", "ReasonText").contains("hush") == false)
    #expect(try peer.row("open", "ReasonText").contains("hush"))
  }
}

extension String {
  fileprivate func replacing(_ part: String, with other: String) -> String {
    split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
  }
}
