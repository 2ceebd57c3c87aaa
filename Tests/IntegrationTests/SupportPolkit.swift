// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// A machine with polkit, a daemon and people in it; see `Machine.addPeople`.
@MainActor
struct PolkitScene {
  let machine: Machine
  let stage: MachineStage

  /// One machine for all of them: people take a while to make.
  static let machine = Result { () throws -> Machine in
    let machine = try Machine.withToggled()
    for (source, target) in [
      ("actions/org.toggled.policy", "/usr/share/polkit-1/actions/org.toggled.policy"),
      ("rules.d/50-toggled-example.rules", "/usr/share/doc/toggled/50-toggled-example.rules"),
    ] {
      let text = try Files.read(Project.path("Config/polkit-1/\(source)"), limit: 1 << 16)
      try machine.write(String(decoding: text, as: UTF8.self), to: target)
    }
    // Wherever the build's directory is, everybody can run this.
    try machine.succeed(
      "cp", try Products.path("togglectl"), "/usr/local/bin/togglectl")
    try machine.addPeople()
    return machine
  }

  /// Starts a daemon with these rows, and polkit with a rule that decides nothing.
  init(_ files: [String: String]) throws {
    machine = try Self.machine.get()
    stage = try MachineStage(machine, files)
    try rules("")
  }

  func rules(_ body: String) throws { try machine.setPolkitRule(body) }

  /// Runs togglectl to its end, where there is no terminal.
  func togglectl(_ arguments: String..., as caller: Machine.Caller) throws -> Program.Outcome {
    try machine.run([Self.togglectl] + arguments, as: caller)
  }

  /// Starts togglectl for alice at the seat, on a terminal; see `Machine.start`.
  func onTerminal(_ arguments: String...) throws -> Program {
    try machine.start([Self.togglectl] + arguments, as: "alice", at: .seat, onTerminal: true)
  }

  /// What the daemon says of a row.
  func state(_ row: String) throws -> String { try Peer(stage).state(row) }

  /// Starts togglectl for alice on a terminal, and returns when it asks for the password.
  func ask(_ arguments: String..., at place: Machine.Place = .seat) throws -> Program {
    let togglectl = try machine.start(
      [Self.togglectl] + arguments, as: "alice", at: place, onTerminal: true)
    try togglectl.waitForLine(containing: "Password: ")
    return togglectl
  }

  /// Starts the agent of a desktop for alice, which runs a command; see `polkit_agent.py`.
  func startAgent(_ arguments: String...) throws -> Program {
    try machine.start(
      machine.command(running: "polkit_agent.py") + arguments, as: "alice", at: .seat)
  }

  /// Starts a call of alice's that turns a row on, at a desktop where the question stays open.
  func startToAsk(_ row: String) throws -> Program {
    try startAgent(
      "wait", "busctl", "call", "org.toggled", "/org/toggled/rows/\(row)", "org.toggled.Row1",
      "SetOn", "b", "true")
  }

  /// The same, and returns when she is asked.
  @discardableResult
  func askOnDesktop(_ row: String) throws -> Program {
    let agent = try startToAsk(row)
    try agent.waitForLine(containing: "asked ")
    return agent
  }

  /// Waits until no agent for a terminal runs.
  func waitForAgentsEnd() throws {
    try machine.run(["pidwait", "--exact", "pkttyagent"])
  }

  /// Whether an agent for a terminal runs.
  var agentRuns: Bool {
    get throws { try machine.run(["pgrep", "-x", "pkttyagent"]).status.isSuccess }
  }

  var log: String { stage.log }

  static let togglectl = "/usr/local/bin/togglectl"
}
