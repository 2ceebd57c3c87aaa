// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// A machine with polkit, a daemon and people in it: `alice`, `robot`, who runs services, and the
/// administrator `admin`, whose password is `secret`.
@MainActor
struct PolkitScene {
  /// Who flips.
  enum Caller: CaseIterable {
    case root
    /// Alice, at the machine's seat.
    case seat
    /// Alice, over ssh.
    case remote
    /// A service that runs as `robot`.
    case service
  }

  let machine: Machine
  let stage: MachineStage

  /// One machine for all of them: people take a while to make.
  static let machine = Result { () throws -> Machine in
    let machine = try Machine.withToggled()
    let config = "\(PathParts(#filePath).directory)/../../Config/polkit-1"
    for (source, target) in [
      ("actions/org.toggled.policy", "/usr/share/polkit-1/actions/org.toggled.policy"),
      ("rules.d/50-toggled-example.rules", "/usr/share/doc/toggled/50-toggled-example.rules"),
    ] {
      let text = try Files.read("\(config)/\(source)", limit: 1 << 16)
      try machine.write(String(decoding: text, as: UTF8.self), to: target)
    }
    // Wherever the build's directory is, everybody can run this.
    try machine.succeed(
      "cp", try Products.path("togglectl"), "/usr/local/bin/togglectl")
    // A wrong password is answered at once.
    try machine.write("auth required pam_unix.so nodelay\n", to: "/etc/pam.d/common-auth")
    try machine.addUser("alice")
    try machine.addUser("robot", groups: ["operators"])
    try machine.addUser("admin", password: "secret", groups: ["sudo"])
    try machine.openToSSH("alice")
    return machine
  }

  /// Starts a daemon with these rows, and polkit with no rules but its own.
  init(_ files: [String: String]) throws {
    machine = try Self.machine.get()
    stage = try MachineStage(machine, files)
    try rules("")
  }

  /// Puts a rule in force, as the body of a function that is asked about a row.
  func rules(_ body: String) throws {
    let text = """
      polkit.addRule(function (action, subject) {
        var row = action.lookup("row"), title = action.lookup("title");
        var value = action.lookup("value");
        \(body)
      });
      """
    try machine.write(text, to: "/etc/polkit-1/rules.d/10-test.rules")
    try restartPolkit()
  }

  /// Starts polkit anew, which forgets what it was told of.
  func restartPolkit() throws {
    // However often that is within how short a time.
    try machine.run(["systemctl", "reset-failed", "polkit.service"])
    try machine.succeed("systemctl", "restart", "polkit.service")
  }

  /// Runs a program to its end.
  func run(_ arguments: [String], as caller: Caller) throws -> Program.Outcome {
    switch caller {
    case .root: try machine.run(arguments)
    case .seat: try machine.run(arguments, as: "alice", at: .seat)
    case .remote: try machine.run(arguments, as: "alice", at: .remote)
    case .service: try machine.run(arguments, as: "robot", at: .service)
    }
  }

  /// Runs togglectl to its end, where there is no terminal.
  func togglectl(_ arguments: String..., as caller: Caller) throws -> Program.Outcome {
    try run([Self.togglectl] + arguments, as: caller)
  }

  /// Starts togglectl for alice on a terminal; see `Machine.start`.
  func onTerminal(
    _ arguments: String..., at place: Machine.Place = .seat
  ) throws -> Program {
    try machine.start([Self.togglectl] + arguments, as: "alice", at: place, onTerminal: true)
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
    let script = "\(PathParts(#filePath).directory)/Scripts/polkit_agent.py"
    try Files.replace(
      machine.directory.path("polkit_agent.py"), with: try Files.read(script, limit: 1 << 16),
      mode: 0o644)
    return try machine.start(
      ["/usr/bin/python3", machine.directory.path("polkit_agent.py")] + arguments, as: "alice",
      at: .seat)
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
