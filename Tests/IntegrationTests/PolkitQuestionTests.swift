// SPDX-License-Identifier: MIT

import DBusTypes
import System
import TestSupport
import Testing

/// A password that togglectl has a person asked for, on a real terminal, by polkit.
@MainActor
@Suite("A question for a password", .serialized, .needsMachine)
struct PolkitQuestionTests {
  private let scene: PolkitScene

  init() throws {
    scene = try PolkitScene([
      "lamp.row": RowText.stored("Lamp", "Bus=system"),
      "fan.row": RowText.stored("Fan", "Bus=system"),
      "heater.row": RowText.stored("Heater", "Bus=system\nDefault=on"),
      "radio.row": RowText.stored("Radio", "Bus=system\nPolkitAction=org.toggled.flip-seat"),
    ])
  }

  /// Starts togglectl on a terminal, and returns when it asks for the password.
  private func asked(
    _ arguments: String..., at place: Machine.Place = .seat
  ) throws -> Program {
    let togglectl = try scene.machine.start(
      [PolkitScene.togglectl] + arguments, as: "alice", at: place, onTerminal: true)
    try togglectl.waitForLine(containing: "Password: ")
    return togglectl
  }

  @Test(
    "is answered once for all rows of a command, at the seat and over ssh, and is not seen after")
  func right() throws {
    for place in [Machine.Place.seat, .remote] {
      let togglectl = try asked("-v", "toggle", "lamp", "fan", "heater", at: place)
      try togglectl.write("secret\n")
      #expect(try togglectl.waitForExit() == .exited(0), "\(togglectl.text())\n\(scene.stage.log)")
      let shown = togglectl.text()
      #expect(shown.components(of: "Password:") == 1, "\(shown)")
      #expect(shown.contains("lamp") && shown.contains("fan") && shown.contains("heater"))
      #expect(!shown.contains("secret") && !shown.contains("no echo"), "\(shown)")
      #expect(try !scene.agentRuns)
    }
    #expect(try scene.state("lamp") == "off")
  }

  @Test("says which row it is about, and what it is turned to")
  func message() throws {
    let togglectl = try scene.onTerminal("on", "lamp")
    try togglectl.waitForLine(containing: "turn “Lamp” on")
  }
}

extension String {
  /// How often a text is in this one.
  fileprivate func components(of part: String) -> Int {
    utf8.indices.count { utf8[$0...].starts(with: part.utf8) }
  }
}
