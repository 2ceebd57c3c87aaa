// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import System
import TestSupport
import Testing

/// A machine's daemon with one row, `lamp`, of a unit, and a peer that watches it.
@MainActor
struct UnitScene {
  let machine: Machine
  let stage: MachineStage
  let peer: Peer

  /// Returns once the row is in this state; the journal is empty then.
  init(
    _ machine: Machine, _ unit: String, on scope: Stage.Scope = .system, keys: String = "",
    backend: String = "", state: String = "off"
  ) throws {
    self.machine = machine
    let row = RowText.unit(unit, "Bus=\(scope.rawValue)\n\(keys)", backend: backend)
    stage = try MachineStage(machine, ["lamp.row": row], on: scope)
    peer = try Peer(stage)
    // Where the test is about time it has little.
    if keys.contains("Timeout=") {
      try peer.read("lamp", until: state)
    } else {
      try peer.awaitState("lamp", state)
    }
    _ = try peer.takeJournal()
  }

  /// Runs systemctl, which must succeed.
  func systemctl(_ arguments: String...) throws {
    let outcome = try run(arguments)
    guard outcome.status.isSuccess else { throw TestFailure(outcome.error) }
  }

  /// What systemctl says that the unit is: `active`, `inactive` and so on.
  func isActive(_ unit: String) throws -> String {
    String(try run(["is-active", unit]).output.dropLast())
  }

  /// `enabled`, `disabled` and so on.
  func isEnabled(_ unit: String) throws -> String {
    String(try run(["is-enabled", unit]).output.dropLast())
  }

  private func run(_ arguments: [String]) throws -> Program.Outcome {
    switch stage.scope {
    case .system: try machine.run(["systemctl"] + arguments)
    case .session:
      try machine.run(
        ["systemctl", "--user"] + arguments, environment: Machine.sessionEnvironment)
    }
  }

  /// The error that turning the row on ends with.
  func errorOfStart() throws -> DBusError { try peer.error(of: peer.sendSetOn("lamp", true)) }

  /// Compares what came since the journal was last taken. The row is read again first, so that all
  /// that systemd has said by now is in it.
  func expectJournal(
    _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    let found = try peer.takeJournal().filter { !$0.hasPrefix("Get") && !$0.hasPrefix("Refresh") }
    #expect(found == expected, "\(stage.log)", sourceLocation: sourceLocation)
  }
}
