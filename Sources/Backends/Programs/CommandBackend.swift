// SPDX-License-Identifier: MIT

package import EventLoop
package import Settings
import System

/// What programs of the user's own read and flip.
///
/// State says what is, and is all that reading ever runs; On and Off bring it about. One State runs
/// at a time and one waits, however many ask and however fast Watch prints. A State that fails is
/// a problem and never off. Without State the row is what it was last set to.
package final class CommandBackend: Backend {
  private let definition: CommandBackendDefinition
  private let timeout: Duration
  private let loop: EventLoop
  private let runner: ProgramRunner
  private let assumption: AssumedValue?
  private var report: ((Reading) -> Void)?
  private var follower: ProgramFollower?
  private var interval: IntervalTimer?
  private var stateRun: ProgramRun?
  private var flipRun: ProgramRun?
  private var isNoted = false
  private var pause: Timer?
  private lazy var reads = JoinedReads { [unowned self] in runState($0) }

  /// How long after a line of Watch's the next one has State run again.
  private static let shortestPause = Duration.milliseconds(100)

  /// - Parameters:
  ///   - assumption: keeps the value of a row without State.
  ///   - timeout: how long each program may take: the row's own Timeout.
  package init(
    _ definition: CommandBackendDefinition, assumption: AssumedValue, timeout: Duration,
    runner: ProgramRunner, loop: EventLoop
  ) {
    self.definition = definition
    self.timeout = timeout
    self.runner = runner
    self.loop = loop
    self.assumption = definition.state == nil ? assumption : nil
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    if let assumption { return report(assumption.reading) }
    interval = IntervalTimer(definition.interval, on: loop) { [weak self] in self?.look() }
    look()
  }

  package func stop() {
    follower?.stop()
    (report, follower, interval, pause) = (nil, nil, nil, nil)
    (stateRun, flipRun) = (nil, nil)
  }

  // MARK: Reading

  package func read(_ completion: @escaping (Reading) -> Void) {
    if let assumption { return completion(assumption.reading) }
    follower?.tryAgain()
    reads.ask(completion)
  }

  private func look() {
    reads.ask { [weak self] in self?.report?($0) }
  }

  private func runState(_ completion: @escaping (Reading) -> Void) {
    guard let state = definition.state else { return }
    stateRun = runner.run(state, timeout: timeout) { [weak self] result in
      guard let self else { return }
      stateRun = nil
      let reading = meaning(of: result, state[0])
      // What is not installed is not watched, which would only be tried again and again.
      if reading.problem?.reason != .notFound { follow() }
      completion(reading.with(follower?.problem))
    }
  }

  private func follow() {
    guard report != nil, follower == nil, let watch = definition.watch else { return }
    follower = ProgramFollower(watch, runner: runner, loop: loop) { [weak self] in
      self?.noteChange()
    }
  }

  /// Runs State now, or a moment after it last ran for a change.
  private func noteChange() {
    guard pause == nil else {
      isNoted = true
      return
    }
    isNoted = false
    look()
    pause = loop.after(Self.shortestPause) { [weak self] in
      guard let self else { return }
      pause = nil
      if isNoted { noteChange() }
    }
  }

  private func meaning(of result: Result<ProgramResult, Problem>, _ program: String) -> Reading {
    switch result {
    case .failure(let problem): return .unreadable(problem)
    case .success(let result):
      switch (result.status, definition.successIsOn) {
      case (.exited(0), true): return .on
      case (.exited(1), true): return .off
      case (.exited(0), false): return meaning(of: result, program)
      case (let status, _):
        return .unreadable(
          Problem(status.reason, "State's \(program) \(result.end)"))
      }
    }
  }

  private func meaning(of result: ProgramResult, _ program: String) -> Reading {
    let word = String(decoding: result.output.prefix(64), as: UTF8.self).lowercased()
      .split(whereSeparator: \.isWhitespace)
    switch word.count == 1 ? word[0] : "" {
    case "on", "true", "yes", "1", "enabled", "active": return .on
    case "off", "false", "no", "0", "disabled", "inactive": return .off
    case "mixed": return .mixed
    default:
      let shown = firstLine(of: result.output).map { "\"\($0)\"" } ?? "nothing"
      return .unreadable(
        Problem(.unrecognised, "State's \(program) printed \(shown), which is neither on nor off"))
    }
  }

  // MARK: Flipping

  package func write(
    _ on: Bool, interactive: Bool, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    let key = on ? "On" : "Off"
    guard let command = on ? definition.on : definition.off else {
      return completion(
        .failure(
          FlipError(
            .notSupported, "the row file has no command for this; add \(key)= to [Backend]")))
    }
    flipRun = runner.run(command, timeout: timeout) { [weak self] result in
      self?.flipRun = nil
      switch result {
      case .failure(let problem):
        let kind: FlipError.Kind = problem.reason == .timeout ? .timedOut : .backendFailed
        completion(.failure(FlipError(kind, problem.text)))
      case .success(let result) where !result.status.isSuccess:
        completion(
          .failure(
            FlipError(
              .backendFailed, "\(key)'s \(command[0]) \(result.end)")))
      case .success:
        guard let assumption = self?.assumption else { return completion(.success(())) }
        assumption.set(on, completion)
      }
    }
  }
}

extension ExitStatus {
  /// What a State that exits so has to say, where it is neither on nor off: sysexits(3), and what
  /// sh(1) has for a program that it can't find or run.
  nonisolated fileprivate var reason: Reason {
    switch self {
    case .exited(69): .noService
    case .exited(77), .exited(126): .noAccess
    case .exited(127): .notFound
    case .exited, .signalled: .failed
    }
  }
}
