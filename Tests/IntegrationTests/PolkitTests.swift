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
  /// Starts the daemon. In each test itself: what is made before it may meet another suite's daemon.
  private func serve() throws -> MachineStage {
    let machine = try Machine.shared.get()
    let config = "\(PathParts(#filePath).directory)/../../Config"
    let policy = try Files.read(
      "\(config)/polkit-1/actions/org.toggled.policy", limit: 1 << 16)
    try machine.write(
      String(decoding: policy, as: UTF8.self),
      to: "/usr/share/polkit-1/actions/org.toggled.policy")
    let stage = try MachineStage(
      machine,
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
    try machine.write("0\n", to: "/run/polkit-knob")
    try rules("", stage)
    return stage
  }

  /// Puts rules in force, in JavaScript.
  private func rules(_ body: String, _ stage: MachineStage) throws {
    let text = """
      polkit.addRule(function (action, subject) {
        var row = action.lookup("row"), title = action.lookup("title");
        var value = action.lookup("value");
        \(body)
      });
      """
    try stage.machine.write(text, to: "/etc/polkit-1/rules.d/10-test.rules")
    // However often that is within how short a time.
    try stage.machine.run(["systemctl", "reset-failed", "polkit.service"])
    try stage.machine.succeed("systemctl", "restart", "polkit.service")
  }

  private func call(
    _ row: String, _ arguments: [String], _ stage: MachineStage
  ) throws -> Program.Outcome {
    try stage.machine.run(
      [
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "gdbus", "call", "--system",
        "--dest=org.toggled", "--object-path=/org/toggled/rows/\(row)",
      ] + arguments)
  }

  private func turn(
    _ row: String, _ on: Bool, _ stage: MachineStage
  ) throws -> Program.Outcome {
    try call(row, ["--method=org.toggled.Row1.SetOn", "\(on)"], stage)
  }

  @Test(
    "is not done without a password, and says what to do",
    arguments: ["lamp", "fan", "both", "far"]
  )
  func password(row: String) throws {
    let stage = try serve()
    let outcome = try turn(row, true, stage)
    #expect(outcome.error.contains("InteractiveAuthorizationRequired: row "), "\(outcome.error)")
    #expect(outcome.error.contains("sudo") && outcome.error.contains("/etc/polkit-1/rules.d"))
    #expect(try Peer(stage).state(row) == "off")
  }

  @Test("is done where a rule allows that row to that value, and only there")
  func rule() throws {
    let stage = try serve()
    try rules(
      """
      if (row == "lamp" && title == "Lamp" && value == "on" && subject.user == "nobody")
        return "yes";
      """, stage)
    let on = try turn("lamp", true, stage)
    #expect(on.status.isSuccess, "\(on.error)")
    #expect(try Peer(stage).state("lamp") == "on")
    #expect(try !turn("lamp", false, stage).status.isSuccess)
    #expect(try !call("lamp", ["--method=org.toggled.Row1.Toggle"], stage).status.isSuccess)
    #expect(try !turn("fan", true, stage).status.isSuccess)
    // What already is takes nobody's leave.
    #expect(try turn("lamp", true, stage).output == "(false,)\n")
  }

  @Test("of a locked row takes nobody's leave to be refused, and some to bring the row back")
  func lock() throws {
    let stage = try serve()
    #expect(try turn("fixed", true, stage).error.contains("org.toggled.Error.Locked"))
    #expect(
      try turn("fixed", false, stage).error.contains("InteractiveAuthorizationRequired"))
  }

  @Test("is refused where a rule says no, and the refusal names the row and the action")
  func refusal() throws {
    let stage = try serve()
    try rules(
      """
      if (row == "lamp") return "no";
      """, stage)
    let outcome = try turn("lamp", true, stage)
    #expect(outcome.error.contains("AccessDenied: row lamp: org.toggled.flip is not allowed"))
  }

  @Test("of a group takes what each of its members takes")
  func group() throws {
    let stage = try serve()
    try rules(
      """
      if (row == "both" || row == "fan") return "yes";
      """, stage)
    let outcome = try turn("both", true, stage)
    #expect(outcome.error.contains("row lamp: org.toggled.flip takes a password"))
    #expect(try Peer(stage).state("fan") == "off")
    try rules(
      """
      if (row == "both" || row == "fan" || row == "lamp") return "yes";
      """, stage)
    let allowed = try turn("both", true, stage)
    #expect(allowed.status.isSuccess, "\(allowed.error)")
    #expect(try Peer(stage).state("lamp") == "on")
  }

  @Test("by the part that serves takes that part's action, or ours where polkit knows none such")
  func parts() throws {
    let stage = try serve()
    try rules(
      """
      if (action.id == "org.toggled.flip" && row == "parts") return "yes";
      """, stage)
    let outcome = try turn("parts", true, stage)
    #expect(outcome.status.isSuccess, "\(outcome.error)")
    #expect(try stage.machine.succeed("cat", "/run/polkit-knob") == "1\n")
  }

  @Test("is refused while polkit hangs, and nobody else is kept waiting")
  func hang() throws {
    let stage = try serve()
    let machine = stage.machine
    let pid = try machine.succeed(
      "systemctl", "show", "--property=MainPID", "--value", "polkit.service"
    ).dropLast()
    try machine.succeed("kill", "-STOP", String(pid))
    defer { _ = try? machine.succeed("kill", "-CONT", String(pid)) }
    let hanging = try machine.start(
      [
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "gdbus", "call", "--system",
        "--dest=org.toggled", "--object-path=/org/toggled/rows/lamp",
        "--method=org.toggled.Row1.SetOn", "true",
      ])
    let peer = try Peer(stage)
    #expect(try peer.state("lamp") == "off")
    #expect(try peer.call("SetOn", of: .row, at: .row("fan"), [.boolean(true)]) == [.boolean(true)])
    let status = try hanging.waitForExit()
    #expect(!status.isSuccess)
    #expect(hanging.text(.error).contains("AccessDenied: row lamp: polkit can't be asked"))
  }

  @Test("is refused where polkit can't be started")
  func absent() throws {
    let stage = try serve()
    let machine = stage.machine
    try machine.succeed("systemctl", "mask", "--runtime", "--now", "polkit.service")
    defer { _ = try? machine.succeed("systemctl", "unmask", "--runtime", "polkit.service") }
    let outcome = try turn("lamp", true, stage)
    #expect(outcome.error.contains("AccessDenied: row lamp: polkit can't be asked"))
    #expect(outcome.error.contains("sudo"))
    // Root needs no leave.
    try machine.succeed(
      "busctl", "call", "org.toggled", "/org/toggled/rows/lamp", "org.toggled.Row1", "SetOn", "b",
      "true")
  }
}
