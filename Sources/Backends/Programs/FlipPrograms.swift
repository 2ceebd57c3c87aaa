// SPDX-License-Identifier: MIT

import Settings

/// Runs the programs of one row's flips, one after another.
///
/// The row may be over with a flip, confirmed or late, while its program still runs: the next one's
/// must not meet it.
final class FlipPrograms {
  private let runner: ProgramRunner
  private let row: String
  private let timeout: Duration
  private var current: ProgramRun?
  private var waiting: [Flip] = []

  private struct Flip {
    let on: Bool
    let command: [String]
    let completion: ProgramRunner.Completion
  }

  init(_ runner: ProgramRunner, of row: String, timeout: Duration) {
    self.runner = runner
    self.row = row
    self.timeout = timeout
  }

  /// Runs a program when those before it have ended; `completion` runs once, unless `stop` comes
  /// first.
  func run(
    _ on: Bool, _ command: [String], _ completion: @escaping ProgramRunner.Completion
  ) {
    waiting.append(Flip(on: on, command: command, completion: completion))
    if current == nil { startNext() }
  }

  /// Ends what runs, and forgets what waits.
  func stop() {
    (current, waiting) = (nil, [])
  }

  private func startNext() {
    guard !waiting.isEmpty else { return }
    let next = waiting.removeFirst()
    let purpose = ProgramPurpose(next.on ? .on : .off, of: row)
    current = runner.run(next.command, for: purpose, timeout: timeout, urgent: true) {
      [weak self] result in
      self?.current = nil
      // Before the completion, which may ask for another.
      self?.startNext()
      next.completion(result)
    }
  }
}
