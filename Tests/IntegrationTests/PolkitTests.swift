// SPDX-License-Identifier: MIT

import DBusTypes
import System
import TestSupport
import Testing

/// Whom polkit lets flip, by the real one in a booted machine: a service's user, whose questions
/// nobody is there to answer.
@MainActor
@Suite("A flip that polkit decides", .serialized, .needsMachine)
struct PolkitTests {
  /// Starts the daemon. In each test itself: what is made before it may meet another suite's
  /// daemon.
  private func serve() throws -> PolkitScene {
    let scene = try PolkitScene(
      [
        "lamp.row": RowText.stored("Lamp", "Bus=system"),
        "fan.row": RowText.stored("Fan", "Bus=system\nPolkitAction=org.toggled.flip-seat"),
        "far.row": RowText.stored("Far", "Bus=system\nPolkitAction=org.example.missing"),
        "both.row": """
        [Row]
        Title=Both
        Bus=system
        PolkitAction=org.toggled.flip-seat
        [Backend]
        Type=group
        Rows=lamp;fan
        """,
        "fixed.row": RowText.file("/proc/version", "Bus=system\nLocked=true\nDefault=off"),
        "parts.row": """
        [Row]
        Title=Parts
        Bus=system
        [Backend]
        Type=first
        Of=gone;there
        [Backend.gone]
        Type=file
        Path=/nonexistent
        On=1
        Off=0
        PolkitAction=org.example.gone
        [Backend.there]
        Type=file
        Path=/run/polkit-knob
        On=1
        Off=0
        PolkitAction=org.example.there
        """,
      ])
    try scene.machine.write("0\n", to: "/run/polkit-knob")
    return scene
  }

  private func call(
    _ row: String, _ arguments: [String], _ scene: PolkitScene
  ) throws -> Program.Outcome {
    try scene.machine.run(Self.gdbus(row) + arguments, as: .service)
  }

  private static func gdbus(_ row: String) -> [String] {
    [
      "gdbus", "call", "--system", "--dest=org.toggled", "--object-path=/org/toggled/rows/\(row)",
    ]
  }

  private func turn(_ row: String, _ on: Bool, _ scene: PolkitScene) throws -> Program.Outcome {
    try call(row, ["--method=org.toggled.Row1.SetOn", "\(on)"], scene)
  }

  @Test(
    "is not done without a password, and says what to do",
    arguments: ["lamp", "fan", "both", "far"]
  )
  func password(row: String) throws {
    let scene = try serve()
    let outcome = try turn(row, true, scene)
    let action = row == "fan" || row == "both" ? "org.toggled.flip-seat" : "org.toggled.flip"
    #expect(
      outcome.error.contains("InteractiveAuthorizationRequired: row \(row): \(action) takes"),
      "\(outcome.error)")
    #expect(outcome.error.contains("sudo") && outcome.error.contains("/etc/polkit-1/rules.d"))
    #expect(try scene.state(row) == "off")
  }

  @Test("is done where a rule allows that row to that value, and only there")
  func rule() throws {
    let scene = try serve()
    try scene.rules(
      """
      if (row == "lamp" && title == "Lamp" && value == "on" && subject.user == "robot")
        return "yes";
      """)
    let on = try turn("lamp", true, scene)
    #expect(on.status.isSuccess, "\(on.error)")
    #expect(try scene.state("lamp") == "on")
    #expect(try !turn("lamp", false, scene).status.isSuccess)
    #expect(try !call("lamp", ["--method=org.toggled.Row1.Toggle"], scene).status.isSuccess)
    #expect(try !turn("fan", true, scene).status.isSuccess)
    // What already is takes nobody's leave.
    #expect(try turn("lamp", true, scene).output == "(false,)\n")
  }

  @Test("of a locked row takes nobody's leave to be refused, and some to bring the row back")
  func lock() throws {
    let scene = try serve()
    #expect(try turn("fixed", true, scene).error.contains("org.toggled.Error.Locked"))
    #expect(
      try turn("fixed", false, scene).error.contains("InteractiveAuthorizationRequired"))
  }

  @Test("is refused where a rule says no, and the refusal names the row and the action")
  func refusal() throws {
    let scene = try serve()
    try scene.rules(
      """
      if (row == "lamp") return "no";
      """)
    let outcome = try turn("lamp", true, scene)
    #expect(outcome.error.contains("AccessDenied: row lamp: org.toggled.flip is not allowed"))
  }

  @Test("of a group takes what each of its members takes")
  func group() throws {
    let scene = try serve()
    try scene.rules(
      """
      if (row == "both" || row == "fan") return "yes";
      """)
    let outcome = try turn("both", true, scene)
    #expect(outcome.error.contains("row lamp: org.toggled.flip takes a password"))
    #expect(try scene.state("fan") == "off")
    try scene.rules(
      """
      if (row == "both" || row == "fan" || row == "lamp") return "yes";
      """)
    let allowed = try turn("both", true, scene)
    #expect(allowed.status.isSuccess, "\(allowed.error)")
    #expect(try scene.state("lamp") == "on")
  }

  @Test("of one row of an exclusive group takes what turning the others off takes")
  func rivals() throws {
    let scene = try serve()
    try scene.stage.write(
      "both.row",
      """
      [Row]
      Title=One of both
      Bus=system
      [Backend]
      Type=group
      Rows=lamp;fan
      Exclusive=true
      """)
    let peer = try Peer(scene.stage)
    try peer.call("Reload", of: .manager, at: .toggled)
    try peer.setOn("lamp", true)
    try scene.rules("if (row == \"fan\" && value == \"on\") return \"yes\";")
    let outcome = try turn("fan", true, scene)
    #expect(outcome.error.contains("row lamp: org.toggled.flip takes a password"))
    #expect(try (scene.state("fan"), scene.state("lamp")) == ("off", "on"))
    try scene.rules(
      """
      if (row == "fan" && value == "on" || row == "lamp" && value == "off") return "yes";
      """)
    let allowed = try turn("fan", true, scene)
    #expect(allowed.status.isSuccess, "\(allowed.error)")
    #expect(try (scene.state("fan"), scene.state("lamp")) == ("on", "off"))
  }

  @Test("by the part that serves takes that part's action, or ours where polkit knows none such")
  func parts() throws {
    let scene = try serve()
    try scene.rules(
      """
      if (action.id == "org.toggled.flip" && row == "parts") return "yes";
      """)
    let outcome = try turn("parts", true, scene)
    #expect(outcome.status.isSuccess, "\(outcome.error)")
    #expect(try scene.machine.succeed("cat", "/run/polkit-knob") == "1\n")
  }

  @Test("is refused while polkit hangs, and nobody else is kept waiting")
  func hang() throws {
    let scene = try serve()
    let machine = scene.machine
    let pid = try machine.succeed(
      "systemctl", "show", "--property=MainPID", "--value", "polkit.service"
    ).dropLast()
    try machine.succeed("kill", "-STOP", String(pid))
    defer { _ = try? machine.succeed("kill", "-CONT", String(pid)) }
    let hanging = try machine.start(
      Self.gdbus("lamp") + ["--method=org.toggled.Row1.SetOn", "true"], as: "robot", at: .service)
    let peer = try Peer(scene.stage)
    #expect(try peer.state("lamp") == "off")
    #expect(try peer.call("SetOn", of: .row, at: .row("fan"), [.boolean(true)]) == [.boolean(true)])
    let status = try hanging.waitForExit()
    #expect(!status.isSuccess)
    #expect(hanging.text(.error).contains("AccessDenied: row lamp: polkit can't be asked"))
  }

  @Test("is refused where polkit can't be started")
  func absent() throws {
    let scene = try serve()
    let machine = scene.machine
    try machine.succeed("systemctl", "mask", "--runtime", "--now", "polkit.service")
    defer { _ = try? machine.succeed("systemctl", "unmask", "--runtime", "polkit.service") }
    let outcome = try turn("lamp", true, scene)
    #expect(outcome.error.contains("AccessDenied: row lamp: polkit can't be asked"))
    #expect(outcome.error.contains("sudo"))
    // Root needs no leave.
    try machine.succeed(
      "busctl", "call", "org.toggled", "/org/toggled/rows/lamp", "org.toggled.Row1", "SetOn", "b",
      "true")
  }
}
