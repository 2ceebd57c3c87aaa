// SPDX-License-Identifier: MIT

import DBusTypes
import System
import TestSupport
import Testing

/// What something other than polkit answers that has its name, as a polkit that is broken might.
@MainActor
@Suite("Answers that polkit would not give", .serialized, .needsMachine)
struct PolkitImpostorTests {
  private static let policy = """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <policy user="root"><allow own="org.freedesktop.PolicyKit1"/></policy>
    </busconfig>

    """

  /// A daemon, and what is in polkit's place while `body` runs: the machine is others' as well.
  private func serve(_ body: (PolkitScene, Program) throws -> Void) throws {
    let scene = try PolkitScene(["lamp.row": RowText.stored("Lamp", "Bus=system")])
    let machine = scene.machine
    try machine.write(Self.policy, to: "/etc/dbus-1/system.d/impostor.conf")
    try machine.succeed("systemctl", "reload", "dbus.service")
    try machine.succeed("systemctl", "mask", "--runtime", "--now", "polkit.service")
    let impostor = try machine.start(
      machine.command(running: "polkit_impostor.py", with: ["backend_wire.py"])
        + [Machine.innerSystemBus], hasInput: true)
    let result = Result { try body(scene, impostor) }
    impostor.closeInput()
    try impostor.waitForExit()
    try machine.succeed("systemctl", "unmask", "--runtime", "polkit.service")
    try machine.succeed("rm", "/etc/dbus-1/system.d/impostor.conf")
    try machine.succeed("systemctl", "reload", "dbus.service")
    try result.get()
  }

  private func have(_ impostor: Program, answer way: String) throws {
    try impostor.write("\(way)\n")
    try impostor.waitForLine { $0 == "ready" }
  }

  private func turnOn(_ scene: PolkitScene) throws -> Program.Outcome {
    try scene.machine.run(
      [
        "gdbus", "call", "--system", "--dest=org.toggled", "--object-path=/org/toggled/rows/lamp",
        "--method=org.toggled.Row1.SetOn", "true",
      ], as: .service)
  }

  private static let busctl = [
    "busctl", "call", "org.toggled", "/org/toggled/rows/lamp", "org.toggled.Row1", "SetOn", "b",
    "true",
  ]

  @Test(
    "allow nothing where their types are others, and what was wrong is said",
    arguments: [
      ("", "[]"), ("b", "[True]"), ("s", "['yes']"), ("(bb)", "[(True, True)]"),
      ("bba{ss}", "[True, False, {}]"), ("(bba{sv})", "[(True, False, {})]"),
      ("(bba{ss})(bba{ss})", "[(True, False, {}), (True, False, {})]"),
      ("v", "[('(bba{ss})', (True, False, {}))]"),
    ])
  func types(types: String, values: String) throws {
    try serve { scene, impostor in
      try have(impostor, answer: "body \(types) \(values)")
      let outcome = try turnOn(scene)
      #expect(!outcome.status.isSuccess)
      #expect(
        outcome.error.contains(
          "row lamp: polkit can't be asked whether you may (expected arguments of types "
            + "'(bba{ss})', found '\(types)')"), "\(outcome.error)")
      #expect(try scene.state("lamp") == "off")
    }
  }

  @Test("count by their first word, however much comes after it", arguments: [false, true])
  func details(isAllowed: Bool) throws {
    try serve { scene, impostor in
      let word = isAllowed ? "True" : "False"
      let details = "{str(number): 'x' * 1000 for number in range(10000)}"
      try have(impostor, answer: "body (bba{ss}) [(\(word), False, \(details))]")
      let outcome = try turnOn(scene)
      #expect(outcome.status.isSuccess == isAllowed, "\(outcome.error)")
      #expect(try scene.state("lamp") == (isAllowed ? "on" : "off"))
    }
  }

  @Test("are said again in short, and without what could steer a terminal")
  func words() throws {
    try serve { scene, impostor in
      try have(impostor, answer: "error org.example.Error.Odd 1000000")
      let text = try turnOn(scene).error
      #expect(text.contains("polkit can't be asked whether you may ([2Jno [2Jno "), "\(text)")
      #expect(text.contains("); until it can, only root may: use sudo"), "\(text)")
      #expect(text.utf8.count < 500)
      #expect(try scene.state("lamp") == "off")
    }
  }

  @Test("turn nothing once who asked is gone, and keep no place for a question")
  func late() throws {
    try serve { scene, impostor in
      try have(impostor, answer: "ask")
      let asking = try scene.machine.start(Self.busctl, as: "robot", at: .service)
      try impostor.waitForLine { $0 == "asked" }
      try scene.machine.succeed("pkill", "-KILL", "-x", "busctl")
      try asking.waitForExit()
      // The bus tells the daemon of it before the answer.
      try impostor.waitForLine { $0 == "gone" }
      try allow(impostor)
      #expect(try scene.state("lamp") == "off")
      // As many may be asked as before.
      let others = try (0..<2).map { _ in
        try scene.machine.start(Self.busctl, as: "robot", at: .service)
      }
      for _ in others { try impostor.waitForLine { $0 == "asked" } }
      try allow(impostor)
      for other in others { #expect(try other.waitForExit().isSuccess, "\(other.text(.error))") }
      #expect(try scene.state("lamp") == "on")
    }
  }

  private func allow(_ impostor: Program) throws {
    try impostor.write("allow\n")
    try impostor.waitForLine { $0 == "allowed" }
  }
}
