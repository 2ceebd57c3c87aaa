// SPDX-License-Identifier: MIT

import DBusTypes
import System
import TestSupport
import Testing

/// Rows that become others between the leave for a flip and the flip.
@MainActor
@Suite("What was allowed for a row as it was", .serialized, .needsMachine)
struct PolkitChangeTests {
  private static let other = "org.freedesktop.timedate1.set-ntp"

  private static func lamp(_ keys: String = "") -> String {
    RowText.stored("Lamp", "Bus=system\n\(keys)")
  }

  /// Has the daemon read its files again, and returns when it has.
  private func reload(_ scene: PolkitScene) throws {
    try Peer(scene.stage).call("Reload", of: .manager, at: .toggled)
  }

  private func start(_ row: String, _ on: Bool, _ scene: PolkitScene) throws -> Program {
    try scene.machine.start(
      [
        "busctl", "call", "org.toggled", "/org/toggled/rows/\(row)", "org.toggled.Row1", "SetOn",
        "b", "\(on)",
      ], as: "robot", at: .service)
  }

  /// A row of a program that waits at a gate when it is to turn the row on.
  private func slow(_ gate: Gate, _ keys: String = "") -> String {
    RowText.header("Slow", "Bus=system\n\(keys)") + """
      [Backend]
      Type=command
      State=cat \(Self.file)
      On=sh -c "\(gate.script); echo on >\(Self.file)"
      Off=sh -c "echo off >\(Self.file)"
      """
  }

  private static let file = "/run/polkit-slow"

  /// Such a row, off, and a lamp.
  ///
  /// - Parameter rule: for which of them robot needs no password.
  private func slowAndLamp(
    _ name: String, rule: String
  ) throws -> (scene: PolkitScene, gate: Gate) {
    let machine = try PolkitScene.machine.get()
    let gate = try Gate(name, in: machine)
    try machine.write("off\n", to: Self.file)
    let scene = try PolkitScene(["slow.row": slow(gate), "lamp.row": Self.lamp()])
    try scene.rules(rule)
    return (scene, gate)
  }

  @Test("a question is put anew for the action that the row takes by the time of the answer")
  func anotherAction() throws {
    let scene = try PolkitScene(["lamp.row": Self.lamp()])
    let togglectl = try scene.ask("on", "lamp")
    try scene.stage.write("lamp.row", Self.lamp("PolkitAction=\(Self.other)"))
    try reload(scene)
    try togglectl.write("secret\n")
    try togglectl.waitForLine(containing: "Password: ")
    #expect(try scene.state("lamp") == "off")
    try togglectl.write("\u{4}")
    #expect(try togglectl.waitForExit() == .exited(4), "\(togglectl.text())")
    #expect(togglectl.text().contains("row lamp: \(Self.other) takes a password"))
    #expect(try scene.state("lamp") == "off")
  }

  @Test("a row that was taken away and put back is not the one that was asked about")
  func putBack() throws {
    let scene = try PolkitScene(["lamp.row": Self.lamp()])
    let togglectl = try scene.ask("on", "lamp")
    try scene.stage.remove("lamp.row")
    try reload(scene)
    try scene.stage.write("lamp.row", Self.lamp("PolkitAction=\(Self.other)"))
    try reload(scene)
    try togglectl.write("secret\n")
    #expect(try togglectl.waitForExit() == .exited(3), "\(togglectl.text())")
    #expect(try scene.state("lamp") == "off")
  }

  @Test("a reload that changes nothing leaves the question as it is")
  func reload() throws {
    let scene = try PolkitScene(["lamp.row": Self.lamp()])
    let togglectl = try scene.ask("on", "lamp")
    try reload(scene)
    try togglectl.write("secret\n")
    #expect(try togglectl.waitForExit() == .exited(0), "\(togglectl.text())")
    #expect(try scene.state("lamp") == "on")
  }

  @Test("a first of several takes the action that its file names now")
  func firstOfSeveral() throws {
    let row = { (action: String) in
      RowText.header("Parts", "Bus=system\nPolkitAction=\(action)") + """
        [Backend]
        Type=first
        Of=knob
        [Backend.knob]
        Type=file
        Path=/run/polkit-knob
        On=1
        Off=0
        """
    }
    try PolkitScene.machine.get().write("0\n", to: "/run/polkit-knob")
    let scene = try PolkitScene(["parts.row": row("org.toggled.flip-seat")])
    #expect(try scene.togglectl("on", "parts", as: .seat).status == .exited(0))
    try scene.stage.write("parts.row", row(Self.other))
    try reload(scene)
    let refused = try scene.togglectl("off", "parts", as: .seat)
    #expect(refused.status == .exited(4))
    #expect(refused.error.contains("row parts: \(Self.other) takes a password"), "\(refused.error)")
    #expect(try scene.state("parts") == "on")
  }

  @Test("a flip that waits for another one is not done where it takes more by then")
  func waiting() throws {
    let (scene, gate) = try slowAndLamp(
      "waiting", rule: "if (action.id == \"org.toggled.flip\") return \"yes\";")
    let peer = try Peer(scene.stage)
    let on = peer.sendSetOn("slow", true)
    try gate.waitForArrival()
    let robot = try SceneClient(
      running: scene.machine.start(
        ["setpriv", "--reuid=robot", "--regid=robot", "--init-groups"]
          + scene.machine.command(running: "backend_client.py", with: ["backend_wire.py"])
          + [Machine.innerSystemBus], hasInput: true))
    let off = try robot.startSetOn("slow", false)
    // One client's calls are decided on one after the other.
    #expect(try robot.setOn("lamp", true) == "ok [true]")
    try scene.stage.write("slow.row", slow(gate, "PolkitAction=\(Self.other)"))
    try reload(scene)
    try gate.open()
    try peer.wait(for: on)
    #expect(try robot.wait(off).contains("AccessDenied row slow takes more than was asked for"))
    #expect(try scene.state("slow") == "on")
  }

  @Test("who turns a row on turns no other off that an exclusive group took in meanwhile")
  func rivals() throws {
    let (scene, gate) = try slowAndLamp(
      "rivals", rule: "if (row == \"slow\") return \"yes\";")
    let peer = try Peer(scene.stage)
    try peer.setOn("lamp", true)
    let on = try start("slow", true, scene)
    try gate.waitForArrival()
    try scene.stage.write(
      "pair.row",
      RowText.header("Pair", "Bus=system") + """
        [Backend]
        Type=group
        Rows=slow;lamp
        Exclusive=true
        """)
    try reload(scene)
    try gate.open()
    #expect(try on.waitForExit().isSuccess, "\(on.text(.error))")
    #expect(try (scene.state("slow"), scene.state("lamp")) == ("on", "on"))
    #expect(scene.log.contains("row lamp stays on beside slow: row lamp takes more than"))
    // With leave for both of them it does.
    try peer.setOn("slow", false)
    try scene.rules("if (row == \"slow\" || row == \"lamp\" && value == \"off\") return \"yes\";")
    let again = try start("slow", true, scene)
    try gate.waitForArrival()
    try gate.open()
    #expect(try again.waitForExit().isSuccess, "\(again.text(.error))")
    #expect(try (scene.state("slow"), scene.state("lamp")) == ("on", "off"))
  }
}
