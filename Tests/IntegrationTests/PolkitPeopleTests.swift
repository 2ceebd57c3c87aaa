// SPDX-License-Identifier: MIT

import DBusTypes
import System
import TestSupport
import Testing

/// Whom the real polkit lets flip what: root, a user at the machine, one over ssh, and a service.
@MainActor
@Suite("People who flip", .serialized, .needsMachine)
struct PolkitPeopleTests {
  /// Starts a daemon. In each test itself: what is made before it may meet another suite's.
  private func serve(_ more: [String: String] = [:]) throws -> PolkitScene {
    try PolkitScene(
      [
        "lamp.row": RowText.stored("Lamp", "Bus=system"),
        "radio.row": RowText.stored("Radio", "Bus=system\nPolkitAction=org.toggled.flip-seat"),
        "clock.row": RowText.stored(
          "Clock", "Bus=system\nPolkitAction=org.freedesktop.timedate1.set-ntp"),
      ].merging(more) { $1 })
  }

  private static let refusal = "InteractiveAuthorizationRequired"

  /// A way to write, as busctl makes it.
  nonisolated private static let ways: [(name: String, arguments: [String])] = [
    ("SetOn", ["call", "org.toggled", "/org/toggled/rows/lamp", row, "SetOn", "b", "true"]),
    ("Toggle", ["call", "org.toggled", "/org/toggled/rows/lamp", row, "Toggle"]),
    ("Reset", ["call", "org.toggled", "/org/toggled/rows/lamp", row, "Reset"]),
    (
      "Properties.Set",
      ["set-property", "org.toggled", "/org/toggled/rows/lamp", row, "IsOn", "b", "true"]
    ),
    (
      "Switches1",
      ["set-property", "org.toggled", "/org/toggled", "org.toggled.Switches1", "lamp", "b", "true"]
    ),
    (
      "Apply",
      [
        "call", "org.toggled", "/org/toggled", manager, "Apply", "a{sb}", "2", "lamp", "true",
        "radio", "true",
      ]
    ),
  ]
  nonisolated private static let row = "org.toggled.Row1"
  nonisolated private static let manager = "org.toggled.Manager1"

  @Test("have no way round it", arguments: ways.map(\.name))
  func ways(name: String) throws {
    let scene = try serve([
      "lamp.row": RowText.stored("Lamp", "Bus=system\nDefault=on")
    ])
    _ = try scene.togglectl("off", "lamp", as: .root)
    let arguments = try #require(Self.ways.first { $0.name == name }).arguments
    let command = ["busctl", "--system"] + arguments
    try scene.rules("if (row == \"radio\") return \"yes\";")
    let refused = try scene.machine.run(command, as: .service)
    if name == "Apply" {
      #expect(refused.output.contains(Self.refusal), "\(refused)")
      #expect(refused.output.contains("\"radio\" true \"\" \"\""), "\(refused)")
    } else {
      #expect(!refused.status.isSuccess)
      #expect(refused.error.contains("row lamp: org.toggled.flip takes a password"))
    }
    #expect(try scene.state("lamp") == "off")

    try scene.rules("if (subject.user == \"robot\") return \"yes\";")
    let allowed = try scene.machine.run(command, as: .service)
    #expect(allowed.status.isSuccess, "\(allowed)")
    #expect(try scene.state("lamp") == "on")
  }

  @Test("are told apart by a rule: by group, by place, and by what the row would become")
  func rules() throws {
    let scene = try serve()
    try scene.rules(
      """
      if (row == "lamp" && subject.isInGroup("operators")) return "yes";
      if (row == "clock" && value == "on" && subject.local && subject.active) return "yes";
      if (row == "radio" && value == "on") return "no";
      """)
    func code(_ verb: String, _ row: String, _ caller: Machine.Caller) throws -> Int32? {
      try scene.togglectl("--no-ask-password", verb, row, as: caller).code
    }
    #expect(try code("on", "lamp", .service) == 0)
    #expect(try code("off", "lamp", .seat) == 4)
    #expect(try code("on", "clock", .remote) == 4)
    #expect(try code("on", "clock", .seat) == 0)
    #expect(try code("off", "clock", .seat) == 4)
    let refused = try scene.togglectl("on", "radio", as: .seat)
    #expect(refused.code == 4)
    #expect(refused.error.contains("row radio: org.toggled.flip-seat is not allowed to you"))
    #expect(!refused.error.contains("password"), "\(refused.error)")
    #expect(try code("on", "radio", .root) == 0)
    #expect(try code("off", "radio", .seat) == 0)
  }

  @Test("are let by the example of rules as its comments say, for the actions that the rows ship")
  func example() throws {
    let units = "Bus=system\nPolkitAction=org.freedesktop.systemd1.manage-unit-files"
    let scene = try serve([
      "printing.row": RowText.stored("Printing", units),
      "firewall.row": RowText.stored("Firewall", units),
      "remote_login.row": RowText.stored("Remote login", units),
    ])
    try scene.machine.addUser("printer", groups: ["lpadmin"])
    try scene.machine.succeed(
      "cp", "/usr/share/doc/toggled/50-toggled-example.rules", "/etc/polkit-1/rules.d/")
    defer {
      _ = try? scene.machine.run(["rm", "/etc/polkit-1/rules.d/50-toggled-example.rules"])
    }
    try scene.machine.restartPolkit()
    let on = [PolkitScene.togglectl, "--no-ask-password", "on"]
    let off = [PolkitScene.togglectl, "--no-ask-password", "off"]
    let helper = try scene.machine.run(on + ["printing"], as: "printer", at: .service)
    #expect(helper.code == 0, "\(helper)")
    #expect(try scene.machine.run(off + ["printing"], as: .service).code == 4)
    #expect(try scene.machine.run(on + ["firewall"], as: .seat).code == 0)
    #expect(try scene.machine.run(off + ["firewall"], as: .seat).code == 4)
    #expect(try scene.machine.run(on + ["firewall"], as: .remote).code == 0)
    let login = try scene.machine.run(on + ["remote_login"], as: .seat)
    #expect(login.error.contains("is not allowed to you"), "\(login.error)")
    #expect(try scene.machine.run(on + ["lamp"], as: .seat).code == 4)
  }

  /// Rows that turn others, each with one that takes a password among them.
  nonisolated private static let compounds: [(name: String, text: String, verb: String)] = [
    ("group", "Type=group\nRows=radio;lamp", "on"),
    ("airplane", "Type=airplane\nMembers=radio;lamp", "on"),
    ("sequence", "Type=sequence\nSteps=easy;hard", "on"),
    ("first", "Type=first\nOf=hard;easy", "on"),
  ]

  @Test("turn nothing by a row that turns something they may not", arguments: compounds.map(\.name))
  func compounds(name: String) throws {
    let compound = try #require(Self.compounds.first { $0.name == name })
    let parts =
      ["sequence", "first"].contains(name)
      ? """
      [Backend.easy]
      Type=file
      Path=/run/polkit-easy
      On=1
      Off=0
      PolkitAction=org.toggled.flip-seat
      [Backend.hard]
      Type=file
      Path=/run/polkit-hard
      On=1
      Off=0
      PolkitAction=org.freedesktop.timedate1.set-ntp
      """ : ""
    for file in ["easy", "hard"] {
      let machine = try PolkitScene.machine.get()
      try machine.write("0\n", to: "/run/polkit-\(file)")
    }
    let scene = try serve([
      "all.row": """
      [Row]
      Title=All
      Bus=system
      PolkitAction=org.toggled.flip-seat
      [Backend]
      \(compound.text)
      \(parts)
      """
    ])
    if name == "airplane" { _ = try scene.togglectl("on", "radio", "lamp", as: .root) }
    let before = try ["radio", "lamp"].map { try scene.state($0) }
    let outcome = try scene.togglectl("--no-ask-password", compound.verb, "all", as: .seat)
    #expect(outcome.code == 4, "\(outcome)\n\(scene.log)")
    let refused =
      parts.isEmpty
      ? "row lamp: org.toggled.flip" : "row all: org.freedesktop.timedate1.set-ntp"
    #expect(outcome.error.contains(refused), "\(outcome.error)")
    #expect(try ["radio", "lamp"].map { try scene.state($0) } == before)
    for file in ["easy", "hard"] {
      #expect(try scene.machine.succeed("cat", "/run/polkit-\(file)") == "0\n")
    }
    try scene.rules("if (row == \"lamp\" || row == \"all\") return \"yes\";")
    let allowed = try scene.togglectl(compound.verb, "all", as: .seat)
    #expect(allowed.code == 0, "\(allowed)\n\(scene.log)")
  }
}
