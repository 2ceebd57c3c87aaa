// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// What togglectl exits with, and what it says then.
@MainActor
@Suite("togglectl's exit codes", .serialized)
struct ClientExitTests {
  private let stage: Stage
  private let client: Togglectl

  init() throws {
    stage = try Stage.serving(ClientRows.files)
    client = Togglectl(session: stage)
  }

  nonisolated private static let outcomes: [(String, Int32)] = [
    ("get lamp", 0), ("on lamp", 0), ("off garden-gate", 0), ("sections", 0), ("reload", 0),
    ("--version", 0), ("get", 2), ("frobnicate", 2), ("--system --user list", 2),
    ("get -q lamp all", 2), ("ui", 2), ("--frobnicate", 2), ("get lmap", 3), ("on lmap", 3),
    ("on lamp lmap", 3), ("on alarm lmap", 3), ("on alarm", 5), ("on sensor", 5),
    ("toggle sensor", 5), ("reset garden_gate", 1), ("get -q lamp", 0), ("get -q garden_gate", 10),
    ("get -q all", 11), ("get -q sensor", 11), ("--system list", 6),
  ]

  @Test("each outcome has its code", arguments: outcomes)
  func codes(_ line: String, _ expected: Int32) throws {
    let arguments = line.split(separator: " ").map(String.init)
    let outcome = try client.run(arguments)
    #expect(outcome.code == expected, "\(outcome)\n\(stage.log)")
    // What went wrong is said on standard error, in whole lines; what went well says nothing there.
    let isFailure = 1...6 ~= expected
    #expect(outcome.error.isEmpty != isFailure, "\(outcome.error)")
    if isFailure {
      #expect(outcome.error.split(separator: "\n").allSatisfy { $0.hasPrefix("togglectl: ") })
      #expect(outcome.error.hasSuffix("\n"))
    }
    if arguments.contains("-q"), expected != 2 { #expect(outcome.output == "") }
  }

  @Test("without a daemon on any bus it is one line and 6, for every verb that needs one")
  func noDaemon() throws {
    let empty = try Stage(.session)
    for client in [Togglectl(), Togglectl(session: empty)] {
      for arguments in [
        ["list"], ["sections"], ["show", "lamp"], ["get", "lamp"], ["on", "lamp"],
        ["toggle", "lamp"], ["reset", "lamp"], ["refresh"], ["reload"], ["watch"],
        ["--json", "list"], ["--user", "list"], ["get", "-q", "lamp"],
      ] {
        let outcome = try client.run(arguments)
        #expect(outcome.code == 6, "\(arguments): \(outcome)")
        #expect(outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
        #expect(outcome.output == "")
      }
    }
  }

  @Test("a session bus is never launched for want of one")
  func noLaunch() throws {
    let outcome = try Program.run(
      [try Products.path("togglectl"), "--user", "list"],
      environment: [
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus", "DISPLAY": ":99",
        "HOME": "/nonexistent",
      ])
    #expect(outcome.code == 6)
    #expect(outcome.error.contains("session bus"), "\(outcome.error)")
  }

  @Test("the session bus is found in XDG_RUNTIME_DIR")
  func runtimeDirectory() throws {
    let outcome = try Program.run(
      [try Products.path("togglectl"), "get", "lamp"],
      environment: [
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus",
        "XDG_RUNTIME_DIR": stage.bus.directory.path,
      ])
    #expect(outcome.output == "on\n", "\(outcome)")
  }

  @Test("a misspelt id is answered with the nearest")
  func nearest() throws {
    let outcome = try client.run("on", "garden-gat")
    #expect(outcome.code == 3)
    #expect(outcome.error.contains("garden-gate") || outcome.error.contains("garden_gate"))
  }

  @Test("a flip prints nothing, but for -v; the daemon's own words come with a failure")
  func words() throws {
    #expect(try client.run("off", "lamp").output == "")
    #expect(try client.run("-v", "on", "lamp").output.contains("lamp"))
    let locked = try client.run("on", "alarm")
    #expect(locked.error.contains("locked off by the administrator"), "\(locked.error)")
  }

  nonisolated private static let printing = [
    "list", "list lamp", "sections", "show lamp", "get lamp", "-v on lamp", "--json off lamp",
    "--json refresh", "watch", "watch --json lamp", "--json check", "--help", "get --help",
    "--version",
  ]

  @Test("an answer that can't be written is a failure, whatever the verb", arguments: printing)
  func unwritable(_ line: String) throws {
    let arguments = line.split(separator: " ").map(String.init)
    for (redirection, reason) in [
      (">&-", "Bad file descriptor"), (">/dev/full", "No space left on device"),
    ] {
      let outcome = try client.run(arguments, redirected: redirection)
      #expect(outcome.code == 1, "\(outcome)")
      #expect(outcome.error == "togglectl: can't write to standard output: \(reason)\n")
    }
  }

  @Test("where nothing is to be printed, no output is no failure")
  func silent() throws {
    for (arguments, code) in [(["on", "lamp"], 0), (["get", "-q", "garden-gate"], Int32(10))] {
      #expect(try client.run(arguments, redirected: ">&-").code == code)
    }
  }

  @Test("an address that is none is named")
  func address() throws {
    let outcome = try client.run(
      ["--user", "list"], environment: ["DBUS_SESSION_BUS_ADDRESS": "garbage"])
    #expect(outcome.code == 6)
    #expect(outcome.error.contains("'garbage' is no address of a bus"), "\(outcome.error)")
  }

  @Test("every row is tried, and the worst code is returned")
  func worst() throws {
    let outcome = try client.run("on", "alarm", "garden-gate", "sensor")
    #expect(outcome.code == 5)
    #expect(outcome.error.split(separator: "\n").count == 2, "\(outcome.error)")
    #expect(try Peer(stage).state("garden_gate") == "on")
  }

  @Test("denied is 4, and the daemon's refusal is shown")
  func denied() throws {
    let system = try Stage.serving(["lamp.row": RowText.stored("Lamp", "Bus=system")], on: .system)
    // Nobody has to be able to reach the socket.
    for path in [system.bus.directory.path] {
      _ = try Program.run(["chmod", "755", path])
    }
    let outcome = try Program.run(
      [
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
        try Products.path("togglectl"), "--system", "on", "lamp",
      ], environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.bus.address])
    #expect(outcome.code == 4, "\(outcome)")
    #expect(outcome.error.contains("row lamp: polkit can't be asked"), "\(outcome.error)")
  }
}
