// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// togglectl with a daemon on each bus.
@MainActor
@Suite("togglectl on two buses", .serialized)
struct ClientBusesTests {
  private let session: Stage
  private let system: Stage
  private let client: Togglectl

  init() throws {
    session = try Stage.serving([
      "mine.row": RowText.stored("Mine"), "both.row": RowText.stored("Both"),
    ])
    system = try Stage.serving(
      [
        "machine.row": RowText.stored("Machine", "Bus=system"),
        "both.row": RowText.stored("Both", "Bus=system"),
      ], on: .system)
    client = Togglectl(session: session, system: system)
  }

  @Test("without a flag the rows of both are listed, with one those of its bus")
  func merged() throws {
    let all = try client.run("list").output
    #expect(all.contains("Mine") && all.contains("Machine"), "\(all)")
    let user = try client.run("--user", "list").output
    #expect(user.contains("Mine") && !user.contains("Machine"), "\(user)")
    let machine = try client.run("--system", "list").output
    #expect(!machine.contains("Mine") && machine.contains("Machine"), "\(machine)")
    let json = try client.run("--json", "list").output
    #expect(json.contains("\"bus\":\"system\"") && json.contains("\"bus\":\"session\""))
  }

  @Test("a row is found on whichever bus has it, and flipped there")
  func found() throws {
    #expect(try client.run("on", "mine", "machine").code == 0)
    #expect(try client.run("get", "mine", "machine").output == "on\non\n")
    #expect(try Peer(session).state("mine") == "on")
    #expect(try Peer(system).state("machine") == "on")
  }

  @Test("an id on both buses is asked about, and a flag decides")
  func ambiguous() throws {
    let outcome = try client.run("on", "both")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("--system") && outcome.error.contains("--user"))
    #expect(try client.run("--system", "on", "both").code == 0)
    #expect(try client.run("--system", "get", "both").output == "on\n")
    #expect(try client.run("--user", "get", "both").output == "off\n")
  }

  @Test("a bus without a daemon is absent, and the other answers")
  func absent() throws {
    try system.stop()
    let outcome = try client.run("on", "both")
    #expect(outcome.code == 0, "\(outcome)")
    #expect(try client.run("--system", "list").code == 6)
    #expect(try client.run("list").output.contains("Mine"))
  }

  @Test("without a flag no daemon is started, and with one it is")
  func activation() throws {
    try session.stop()
    let arguments = try session.arguments.joined(separator: " ")
    try session.bus.addService("org.toggled", command: arguments)
    let outcome = try Togglectl(session: session).run("list")
    #expect(outcome.code == 6, "\(outcome)")
    let started = try Togglectl(session: session).run("--user", "get", "mine")
    #expect(started.output == "off\n", "\(started)")
  }

  @Test("a daemon that fails to start counts as absent")
  func failedActivation() throws {
    try session.stop()
    try session.bus.addService("org.toggled", command: "/bin/false")
    let outcome = try client.run("--user", "list")
    #expect(outcome.code == 6, "\(outcome)")
    #expect(outcome.error.split(separator: "\n").count == 1)
  }

  @Test(
    "a bus that never speaks, or has its backlog full, counts as none, and the other answers",
    arguments: [false, true])
  func silentBus(isFull: Bool) throws {
    let silent = try BareSocket(session.directory.path("silent"), isFull: isFull)
    let variables = ["DBUS_SYSTEM_BUS_ADDRESS": silent.address]
    let both = try client.start("get", "mine", environment: variables)
    let watch = try client.start("--system", "watch", environment: variables)
    let one = try client.start("--system", "list", environment: variables)
    #expect(try both.waitForExit() == .exited(0), "\(both.text(.error))")
    #expect(both.text() == "off\n")
    for program in [one, watch] {
      #expect(try program.waitForExit() == .exited(6))
      let text = program.text(.error)
      #expect(text.contains("system bus: it does not answer"), "\(text)")
    }
    withExtendedLifetime(silent) {}
  }
}
