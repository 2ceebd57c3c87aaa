// SPDX-License-Identifier: MIT

import EventLoop
import Settings
import System

/// Runs a row's RunOnChange program once for each change of its state between on, off and mixed.
///
/// A loss is no change: what counts is the last known state. One program a row runs at a time; a
/// change during it has the program run again afterwards, with the newest state.
final class ChangePrograms {
  private let loop: EventLoop
  private let log: Log
  private var runs: [RowID: Run] = [:]

  private struct Run {
    var state: SwitchState
    var watch: ChildWatch?
    var next: SwitchState?
    /// The row has gone while its program runs.
    var isForgotten = false
  }

  init(loop: EventLoop, log: Log) {
    self.loop = loop
    self.log = log
  }

  /// The row shows this state.
  func stateChanged(_ row: RowObject) {
    let state = row.facts.state
    guard state != .unknown else { return }
    guard var run = runs[row.id], !run.isForgotten else {
      // The first reading is where the row starts from.
      runs[row.id] = Run(state: state, watch: runs[row.id]?.watch)
      return
    }
    guard run.state != state else { return }
    run.state = state
    if run.watch == nil { run.watch = start(row.definition, state) } else { run.next = state }
    runs[row.id] = run
  }

  /// The row is gone; a program that runs is left to end by itself.
  func forget(_ id: RowID) {
    guard let run = runs[id] else { return }
    runs[id] =
      run.watch == nil ? nil : Run(state: run.state, watch: run.watch, isForgotten: true)
  }

  private func start(_ definition: RowDefinition, _ state: SwitchState) -> ChildWatch? {
    guard !definition.runOnChange.isEmpty else { return nil }
    var environment = Environment.forChildren()
    environment["TOGGLED_ROW"] = definition.id.rawValue
    environment["TOGGLED_STATE"] = state.rawValue
    do throws(Errno) {
      let child = try ChildProcess.spawn(
        arguments: definition.runOnChange, environment: environment)
      return try loop.child(child) { [weak self] status in self?.ended(definition, status) }
    } catch {
      log.warning(
        "row \(definition.id): RunOnChange: can't run \(definition.runOnChange[0]): \(error)")
      return nil
    }
  }

  private func ended(_ definition: RowDefinition, _ status: ExitStatus) {
    if !status.isSuccess {
      log.warning("row \(definition.id): RunOnChange: \(definition.runOnChange[0]) \(status)")
    }
    guard var run = runs[definition.id] else { return }
    run.watch = nil
    if run.isForgotten { return runs[definition.id] = nil }
    if let next = run.next {
      run.next = nil
      run.watch = start(definition, next)
    }
    runs[definition.id] = run
  }
}
