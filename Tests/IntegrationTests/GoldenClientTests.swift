// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// What scripts read: the JSON of togglectl to the letter, and the texts for people beside it.
@MainActor
@Suite("Golden togglectl", .serialized)
struct GoldenClientTests {
  private let stage: Stage

  init() throws {
    stage = try Stage.serving(ClientRows.files)
    // Answered after everything has been read.
    _ = try Peer(stage)
  }

  nonisolated private static let reads: [(String, [String])] = [
    ("list.json", ["--json", "list"]), ("sections.json", ["--json", "sections"]),
    ("show.json", ["--json", "show", "lamp", "alarm"]),
    ("get.json", ["--json", "get", "lamp", "garden_gate", "all", "sensor"]),
    ("refresh.json", ["--json", "refresh", "lamp"]),
    ("list.txt", ["list"]), ("sections.txt", ["sections"]),
    ("show.txt", ["show", "lamp", "sensor"]),
  ]

  @Test("reading prints as it always has", arguments: reads.indices)
  func reads(_ index: Int) throws {
    let (name, arguments) = Self.reads[index]
    let outcome = try Togglectl(session: stage).run(arguments)
    #expect(outcome.error == "", "\(stage.log)")
    #expect(outcome.code == 0)
    try Golden.expect(outcome.output, is: "togglectl-\(name)")
  }

  @Test("flips answer in JSON as they always have")
  func flips() throws {
    let client = Togglectl(session: stage)
    var text = ""
    for arguments in [
      ["on", "lamp", "garden-gate"], ["off", "lamp"], ["toggle", "lamp"], ["reset", "lamp"],
      ["on", "alarm"], ["on", "sensor", "lamp"],
    ] {
      let outcome = try client.run(["--json"] + arguments)
      text += "\(arguments.joined(separator: " ")): \(outcome.code ?? -1)\n\(outcome.output)"
    }
    try Golden.expect(
      text.replacing(stage.directory.path, with: "/stage"), is: "togglectl-flips.txt")
  }

  @Test("watch prints an object a line as it always has")
  func watch() throws {
    let watch = try Togglectl(session: stage).start("--json", "watch", "garden_gate")
    try watch.waitForLine(containing: "\"event\":\"snapshot\"")
    let peer = try Peer(stage)
    try peer.setOn("garden_gate", true)
    try watch.waitForLine(containing: "\"state\":\"on\"")
    try stage.remove("garden_gate.row")
    try watch.waitForLine(containing: "\"event\":\"removed\"")
    try stage.write("garden_gate.row", ClientRows.files["garden_gate.row"] ?? "")
    try watch.waitForLine(containing: "\"event\":\"added\"")
    // The row is read after it was added, so a line more may follow.
    let lines = watch.text().split(separator: "\n", omittingEmptySubsequences: false)
    let end = try #require(lines.firstIndex { $0.contains("\"event\":\"added\"") })
    try Golden.expect(
      lines[...end].joined(separator: "\n") + "\n", is: "togglectl-watch.jsonl")
  }

  @Test("check prints its findings as it always has, with and without --json")
  func check() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[Row]\nTitle=Bad\nColour=red\n[Backend]\nType=stored\n", to: "bad.row")
    try directory.write("[Row]\nTitle=Nothing\n[Backend]\nType=file\n", to: "nothing.row")
    try directory.write(RowText.stored(), to: "good.row")
    let files = ["bad.row", "good.row", "nothing.row"].map(directory.path)
    for (name, options) in [("check.txt", []), ("check.json", ["--json"])] {
      let outcome = try Togglectl().run(options + ["check"] + files)
      #expect(outcome.code == 1)
      let text = outcome.output.replacing(directory.path, with: "DIR")
      try Golden.expect(text, is: "togglectl-\(name)")
    }
  }

  @Test("help texts are as they were, each verb's too")
  func help() throws {
    let client = Togglectl()
    var text = try client.run("--help").output
    for verb in [
      "list", "sections", "show", "get", "on", "off", "toggle", "reset", "refresh", "watch",
      "check", "reload",
    ] {
      let outcome = try client.run(verb, "--help")
      #expect(outcome.code == 0 && outcome.error == "")
      text += "\n=== \(verb)\n\(outcome.output)"
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 90 })
    try Golden.expect(text, is: "togglectl-help.txt")
  }

  /// The keys of CLI's page, which the golden files must have in this order.
  nonisolated private static let rowKeys = """
    id bus path section title subtitle keywords order symbol on_symbol off_symbol icon_color \
    icon_foreground switch_color style backend is_on state target available locked reason \
    reason_text assumed schedule automatic next_change holds
    """

  @Test(
    "keys have the names and the order that are documented",
    arguments: [
      (["list"], rowKeys), (["show", "lamp"], rowKeys), (["get", "lamp"], "id bus is_on state"),
      (["on", "lamp"], "id bus is_on state changed error"),
      (["toggle", "alarm"], "id bus is_on state changed error"),
    ])
  func keys(_ arguments: [String], _ expected: String) throws {
    let script = """
      import json, sys
      for row in json.load(sys.stdin): print(*row)
      """
    let json = try Togglectl(session: stage).run(["--json"] + arguments).output
    let outcome = try Program.run([Python.path, "-c", script], input: json)
    #expect(outcome.error == "")
    let lines = Set(outcome.output.split(separator: "\n").map(String.init))
    #expect(lines == [expected])
  }
}
