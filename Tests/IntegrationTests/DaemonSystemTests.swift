// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// The system bus, where a row belongs to the machine: root may, others may look.
@MainActor
@Suite("The daemon on a system bus", .serialized)
struct DaemonSystemTests {
  private let stage: Stage

  init() throws {
    #expect(geteuid() == 0, "these tests need root, to be two users")
    stage = try Stage.serving(
      ["lamp.row": RowText.stored("Lamp", "Bus=system\nDefault=on")], on: .system)
    // The socket of the bus is below a directory that only its owner may enter.
    _ = try systemCall { chmod(stage.bus.directory.path, 0o755) }
  }

  /// Runs busctl as nobody, or as root.
  private func busctl(asNobody: Bool, _ arguments: [String]) throws -> Program.Outcome {
    let user =
      asNobody ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    return try Program.run(
      user + ["busctl", "--address=\(stage.bus.address)"] + arguments)
  }

  nonisolated private static let writes: [[String]] = [
    ["call", "org.toggled", "/org/toggled/rows/lamp", "org.toggled.Row1", "SetOn", "b", "false"],
    ["call", "org.toggled", "/org/toggled/rows/lamp", "org.toggled.Row1", "Toggle"],
    [
      "set-property", "org.toggled", "/org/toggled/rows/lamp", "org.toggled.Row1", "IsOn", "b",
      "false",
    ],
    ["set-property", "org.toggled", "/org/toggled", "org.toggled.Switches1", "lamp", "b", "false"],
    ["call", "org.toggled", "/org/toggled", "org.toggled.Manager1", "Reload"],
    [
      "set-property", "org.toggled", "/org/freedesktop/LogControl1",
      "org.freedesktop.LogControl1", "LogLevel", "s", "debug",
    ],
  ]

  @Test("another user's write is refused, and root's is done", arguments: writes)
  func write(_ arguments: [String]) throws {
    let refused = try busctl(asNobody: true, arguments)
    #expect(!refused.status.isSuccess)
    // busctl has words of its own for this error.
    #expect(refused.error.contains("Access denied"), "\(refused.error)")
    let peer = try Peer(stage)
    #expect(try peer.state("lamp") == "on")
    #expect(try peer.get("LogLevel", of: .logControl, at: .logControl) == .string("info"))
    let done = try busctl(asNobody: false, arguments)
    #expect(done.status.isSuccess, "\(done.error)\n\(stage.log)")
  }

  @Test("where there is no polkit the refusal names the row and who may")
  func words() throws {
    let outcome = try Program.run([
      "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "dbus-send",
      "--bus=\(stage.bus.address)", "--print-reply", "--dest=org.toggled",
      "/org/toggled/rows/lamp", "org.toggled.Row1.Toggle",
    ])
    #expect(
      outcome.error.contains(
        "org.freedesktop.DBus.Error.AccessDenied: row lamp: polkit can't be asked whether you may"),
      "\(outcome.error)")
  }

  @Test("another user's Apply is refused row by row, but for what already is")
  func apply() throws {
    try stage.write("fan.row", RowText.stored("Fan", "Bus=system"))
    let peer = try Peer(stage)
    try peer.call("Reload", of: .manager, at: .toggled)
    let outcome = try busctl(
      asNobody: true,
      [
        "--json=short", "call", "org.toggled", "/org/toggled", "org.toggled.Manager1", "Apply",
        "a{sb}", "2", "lamp", "true", "fan", "true",
      ])
    #expect(outcome.output.contains(#""lamp":[false,"",""]"#), "\(outcome)")
    #expect(
      outcome.output.contains(
        #""fan":[false,"org.freedesktop.DBus.Error.AccessDenied","row fan: polkit"#),
      "\(outcome)")
    #expect(try peer.state("fan") == "off")
  }

  @Test("everyone may read, set what already is, and refresh")
  func reads() throws {
    let row = ["org.toggled", "/org/toggled/rows/lamp", "org.toggled.Row1"]
    let read = try busctl(asNobody: true, ["get-property"] + row + ["IsOn"])
    #expect(read.output == "b true\n", "\(read.error)")
    let same = try busctl(asNobody: true, ["call"] + row + ["SetOn", "b", "true"])
    #expect(same.output == "b false\n", "\(same.error)")
    let refresh = try busctl(asNobody: true, ["call"] + row + ["Refresh"])
    #expect(refresh.status.isSuccess, "\(refresh.error)")
  }

  @Test("it publishes system rows alone, and says its scope")
  func scope() throws {
    try stage.write("mine.row", RowText.stored("Mine", "Bus=session"))
    let peer = try Peer(stage)
    try peer.call("Reload", of: .manager, at: .toggled)
    #expect(try peer.get("Rows", of: .manager, at: .toggled) == .uint32(1))
    #expect(try peer.get("Scope", of: .manager, at: .toggled) == .string("system"))
    let error = try peer.error(of: peer.sendSetOn("mine", true))
    #expect(error.name == .unknownObject)
  }

  @Test("16 flips that wait are a client's own: root's own limit is the same")
  func limit() throws {
    let stage = try Stage(.system, ["mute.row": RowText.mute(keys: "Bus=system")])
    let service = try SceneService.holding(on: stage)
    try stage.start()
    let peer = try Peer(stage)
    try peer.awaitState("mute", "off")
    let calls = (0..<17).map { _ in peer.sendSetOn("mute", true) }
    #expect(try peer.error(of: calls[16]).name == .limitsExceeded)
    try service.release()
    for call in calls.dropLast() { try peer.wait(for: call) }
  }
}
