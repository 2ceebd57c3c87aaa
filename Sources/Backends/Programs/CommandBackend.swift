// SPDX-License-Identifier: MIT

package import EventLoop
package import Settings
import System

/// What programs of the user's own read and flip.
///
/// State says what is, and is all that reading ever runs; On and Off bring it about, one at a time.
/// One State runs at a time and one waits, however many ask and however fast Watch prints. A State
/// that fails is a problem and never off, and where nothing else would have it run again it is
/// tried a few times more: at login much is not there yet. Without State the row is what it was
/// last set to.
package final class CommandBackend: Backend {
  private let definition: CommandBackendDefinition
  private let row: String
  private let timeout: Duration
  private let loop: EventLoop
  private let runner: ProgramRunner
  private let assumption: AssumedValue?
  private var report: ((Reading) -> Void)?
  private var follower: ProgramFollower?
  private var interval: IntervalTimer?
  private var stateRun: ProgramRun?
  private let flips: FlipPrograms
  private var isNoted = false
  private var pause: Timer?
  private var retry: Timer?
  /// How often State was tried again since it last succeeded.
  private var retries = 0
  private lazy var reads = JoinedReads { [unowned self] in runState($0) }

  /// How long after a line of Watch's the next one has State run again.
  private static let shortestPause = Duration.milliseconds(100)
  /// How long after a failure State is tried again: once each, half a minute in all.
  private static let retryTimes: [Duration] = [1, 2, 4, 8, 16].map { .seconds($0) }

  /// - Parameters:
  ///   - row: the row's id, with the part's name after a dot.
  ///   - assumption: keeps the value of a row without State.
  ///   - timeout: how long each program may take: the row's own Timeout.
  package init(
    _ definition: CommandBackendDefinition, of row: String, assumption: AssumedValue,
    timeout: Duration, runner: ProgramRunner, loop: EventLoop
  ) {
    self.definition = definition
    self.row = row
    self.timeout = timeout
    self.runner = runner
    self.loop = loop
    flips = FlipPrograms(runner, of: row, timeout: timeout)
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
    (report, follower, interval, pause, retry) = (nil, nil, nil, nil, nil)
    stateRun = nil
    flips.stop()
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
    stateRun = runner.run(state, for: ProgramPurpose(.state, of: row), timeout: timeout) {
      [weak self] result in
      guard let self else { return }
      stateRun = nil
      let reading = meaning(of: result, state[0])
      // What is not installed is not watched, which would only be tried again and again.
      if reading.problem?.reason != .notFound { follow() }
      tryAgain(after: reading)
      completion(reading.state == .unknown ? reading : reading.with(follower?.problem))
    }
  }

  /// Has State run again by and by where it failed in a way that may pass and nothing else would.
  private func tryAgain(after reading: Reading) {
    retry = nil
    guard reading.state == .unknown else { return retries = 0 }
    guard report != nil, definition.watch == nil, definition.interval == nil,
      retries < Self.retryTimes.count
    else { return }
    switch reading.problem?.reason {
    case .failed, .timeout, .noService: break
    default: return
    }
    retry = loop.after(Self.retryTimes[retries]) { [weak self] in self?.look() }
    retries += 1
  }

  private func follow() {
    guard report != nil, follower == nil, let watch = definition.watch else { return }
    follower = ProgramFollower(watch, of: row, runner: runner, loop: loop) { [weak self] in
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
      switch result.status {
      case .exited(0): return definition.successIsOn ? .on : meaning(of: result, program)
      // One that complains did not come to say no: sudo(8) without a password exits so.
      case .exited(1), .exited(3):
        if definition.successIsOn, firstLine(of: result.error) == nil { return .off }
      default: break
      }
      return .unreadable(Problem(result.status.reason, "State's \(program) \(result.end)"))
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
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    let key = on ? "On" : "Off"
    guard let command = on ? definition.on : definition.off else {
      return completion(
        .failure(
          FlipError(
            .notSupported, "the row file has no command for this; add \(key)= to [Backend]")))
    }
    flips.run(on, command) { [weak self] result in
      switch result {
      case .failure(let problem): completion(.failure(problem.flipError))
      case .success(let result) where !result.status.isSuccess:
        completion(
          .failure(FlipError(.backendFailed, "\(key)'s \(command[0]) \(result.end)")))
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
