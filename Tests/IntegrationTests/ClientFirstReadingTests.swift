// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// togglectl with a daemon that has only just been started, and has rows yet to read.
@MainActor
@Suite("togglectl before the first reading", .serialized)
struct ClientFirstReadingTests {
  private let stage: Stage
  private let client: Togglectl

  init() throws {
    stage = try Stage(.session, ["lamp.row": RowText.stored("Lamp")])
    client = Togglectl(session: stage)
    try stage.bus.addService("org.toggled", command: stage.arguments.joined(separator: " "))
  }

  /// Makes rows whose State prints what it reads from a pipe that nothing is in yet.
  private func addRows(_ ids: [String], _ keys: String = "") throws {
    for id in ids {
      let pipe = stage.directory.path(id)
      #expect(try Program.run(["mkfifo", pipe]).status.isSuccess)
      try stage.write(
        "\(id).row", RowText.header(id, keys) + "[Backend]\nType=command\nState=cat \(pipe)\n")
    }
  }

  /// Has the row be on for whoever reads it now, and from now on.
  private func answer(_ id: String) throws -> Program {
    let script = "exec 3>\"$1\"; echo on >\"$1.new\"; mv \"$1.new\" \"$1\"; echo on >&3"
    return try Program(["sh", "-c", script, "sh", stage.directory.path(id)])
  }

  /// Tells of every Refresh that the daemon is asked for.
  private func watchRefreshes() throws -> Program {
    let monitor = try Program([
      "dbus-monitor", "--address", stage.bus.address, "interface=org.toggled.Row1,member=Refresh",
    ])
    try monitor.waitForLine(containing: "member=NameLost")
    return monitor
  }

  @Test("a row that is locked is waited for, although its lock is its reason")
  func locked() throws {
    try addRows(["door"], "Locked=true\nDefault=on")
    let monitor = try watchRefreshes()
    let togglectl = try client.start(["--user", "get", "door"])
    try monitor.waitForLine(containing: "rows/door;")
    let answer = try answer("door")
    #expect(try togglectl.waitForExit() == .exited(0), "\(togglectl.text(.error))")
    #expect(togglectl.text() == "on\n")
    #expect(try answer.waitForExit().isSuccess)
  }

  nonisolated private static let commands = [
    ("get door gate lamp", "on\non\noff\n"), ("get -q door", ""),
    ("get --json door gate", #""id":"gate","bus":"session","is_on":true,"state":"on""#),
    ("show gate door", "on"), ("show --json door", #""state":"on""#), ("list", "on"),
    ("list --json door", #""state":"on""#),
  ]

  @Test("a row that is not read yet is waited for, with all others at once", arguments: commands)
  func waits(_ line: String, _ output: String) throws {
    let words = line.split(separator: " ").map(String.init)
    try addRows(["door", "gate"])
    let monitor = try watchRefreshes()
    let togglectl = try client.start(["--user"] + words)
    let asked = words == ["list"] ? ["door", "gate"] : words.filter(["door", "gate"].contains)
    for id in asked { try monitor.waitForLine(containing: "rows/\(id);") }
    let answers = try ["door", "gate"].map(answer)
    #expect(try togglectl.waitForExit() == .exited(0), "\(togglectl.text(.error))")
    #expect(togglectl.text().contains(output), "\(togglectl.text())")
    #expect(!togglectl.text().contains("unknown"), "\(togglectl.text())")
    for program in answers { #expect(try program.waitForExit().isSuccess) }

    // Once they are read nothing is asked for: the next Refresh is that of the next command.
    #expect(try client.run(["--user"] + words).code == 0)
    #expect(try client.run("--user", "refresh", "lamp").code == 0)
    try monitor.waitForLine(containing: "rows/lamp;")
    #expect(monitor.text().split(separator: "member=Refresh").count == asked.count + 2)
  }

  @Test("more rows than the daemon takes calls at once are waited for, too")
  func many() throws {
    let ids = (0..<20).map { "door\($0)" }
    try addRows(ids)
    let monitor = try watchRefreshes()
    let togglectl = try client.start("--user", "list")
    // The daemon has 16 calls of a client's at a time, which end as their rows are read.
    for _ in 0..<16 { try monitor.waitForLine(containing: "member=Refresh") }
    let answers = try ids.map(answer)
    #expect(try togglectl.waitForExit() == .exited(0), "\(togglectl.text(.error))")
    #expect(!togglectl.text().contains("unknown"), "\(togglectl.text())")
    for program in answers { #expect(try program.waitForExit().isSuccess) }
  }

  @Test("a row that gives no answer stays unknown, and says why")
  func silent() throws {
    try addRows(["door"], "Timeout=0.1")
    #expect(try client.run("--user", "get", "door", "lamp").output == "unknown\noff\n")
    #expect(try client.run("--user", "get", "-q", "door").code == 11)
    let shown = try client.run("--user", "--json", "show", "door").output
    #expect(shown.contains(#""reason":"timeout""#), "\(shown)")
  }
}
