// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// systemd's client, which is what the contract's examples use.
@MainActor
@Suite("Interop with busctl", .serialized)
struct InteropBusctlTests {
  private let stage: Stage

  init() throws {
    stage = try Stage.serving([
      "lamp.row": RowText.stored("Lamp", "Title[es]=Lámpara\nSection=home"),
      "fan.row": RowText.stored("Fan", "Default=on"),
      "home.section": "[Section]\nTitle=Home\n",
    ])
  }

  private func busctl(_ arguments: String...) throws -> String {
    let outcome = try Program.run(["busctl", "--address=\(stage.bus.address)"] + arguments)
    guard outcome.status.isSuccess else {
      throw TestFailure("busctl \(arguments): \(outcome.error)\(stage.log)")
    }
    return outcome.output
  }

  @Test("tree finds every object")
  func tree() throws {
    let paths = try busctl("tree", "--list", "org.toggled").split(separator: "\n").map(String.init)
    #expect(
      paths == [
        "/", "/org", "/org/freedesktop", "/org/freedesktop/LogControl1", "/org/toggled",
        "/org/toggled/rows", "/org/toggled/rows/fan", "/org/toggled/rows/lamp",
        "/org/toggled/sections", "/org/toggled/sections/home", "/org/toggled/sections/other",
      ])
  }

  @Test("introspect shows members, values and flags")
  func introspect() throws {
    let text = try busctl("introspect", "org.toggled", "/org/toggled/rows/lamp")
    let lines = text.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }
    for expected in [
      ".SetOn method b b -", ".HoldReleased signal u - -", ".Id property s \"lamp\" const",
      ".IsOn property b false emits-change writable", ".Order property i 0 emits-change",
      ".Titles property a{ss}", ".NextChange property t 0 emits-change",
    ] {
      #expect(lines.contains { $0.hasPrefix(expected) }, "\(expected) is not in\n\(text)")
    }
  }

  @Test("get-property and set-property read and flip, on the row and on the board")
  func properties() throws {
    let row = ["org.toggled", "/org/toggled/rows/lamp", "org.toggled.Row1", "IsOn"]
    let board = ["org.toggled", "/org/toggled", "org.toggled.Switches1"]
    func get(_ words: [String]) throws -> String {
      try busctl("get-property", words[0], words[1], words[2], words[3])
    }
    #expect(try get(row) == "b false\n")
    #expect(try busctl("set-property", row[0], row[1], row[2], row[3], "b", "true") == "")
    #expect(try get(row) == "b true\n")
    #expect(try get(board + ["lamp"]) == "b true\n")
    #expect(try busctl("set-property", board[0], board[1], board[2], "fan", "b", "false") == "")
    #expect(
      try busctl("get-property", board[0], board[1], board[2], "fan", "lamp")
        == "b false\nb true\n")
  }

  @Test("call flips and prints the answer")
  func call() throws {
    let row = ("org.toggled", "/org/toggled/rows/lamp", "org.toggled.Row1")
    #expect(try busctl("call", row.0, row.1, row.2, "SetOn", "b", "true") == "b true\n")
    #expect(try busctl("call", row.0, row.1, row.2, "SetOn", "b", "true") == "b false\n")
    #expect(try busctl("call", row.0, row.1, row.2, "Toggle") == "b false\n")
    #expect(
      try busctl(
        "call", row.0, "/org/toggled", "org.toggled.Manager1", "Apply", "a{sb}", "2", "lamp",
        "true", "fan", "true"
      ).hasPrefix("a{s(bss)} 2 "))
  }

  @Test("an error is shown with its text")
  func error() throws {
    let outcome = try Program.run([
      "busctl", "--address=\(stage.bus.address)", "set-property", "org.toggled",
      "/org/toggled/rows/lamp", "org.toggled.Row1", "State", "s", "on",
    ])
    #expect(!outcome.status.isSuccess)
    #expect(outcome.error.contains("State") && outcome.error.contains("can't be written"))
  }

  @Test("monitor sees the signal with its types")
  func monitor() throws {
    let monitor = try Program([
      "busctl", "--address=\(stage.bus.address)", "--json=short", "--match",
      "type=signal,sender=org.toggled", "monitor",
    ])
    try monitor.waitForLine(containing: "Monitoring bus message stream", on: .error)
    _ = try busctl(
      "call", "org.toggled", "/org/toggled/rows/lamp", "org.toggled.Row1", "SetOn", "b", "true")
    let line = try monitor.waitForLine(containing: "\"IsOn\"")
    #expect(line.contains("\"member\":\"PropertiesChanged\""))
    #expect(line.contains("\"payload\":{\"type\":\"sa{sv}as\""), "\(line)")
    #expect(line.contains("\"IsOn\":{\"type\":\"b\",\"data\":true}"), "\(line)")
  }
}
