// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
package import Settings
import System

/// A key of GSettings, read and written by the `gsettings` program.
///
/// dconf's signal tells when to read again; no program of ours is kept running. Where another store
/// than dconf is behind GSettings nothing tells of changes, and the row is read again after its own
/// flips, on Refresh and on resume.
package final class GSettingsBackend: Backend {
  private let definition: GSettingsBackendDefinition
  private let row: String
  private let timeout: Duration
  private let runner: ProgramRunner
  private let dconf: DConfNotices
  private var report: ((Reading) -> Void)?
  private var subscription: DConfNotices.Subscription?
  private var valueRun: ProgramRun?
  private var lockRun: ProgramRun?
  private let flips: FlipPrograms
  private var lock: Lock = .unknown
  private lazy var reads = JoinedReads { [unowned self] in readOnce($0) }

  private enum Lock {
    case unknown, locked, open
  }

  /// - Parameters:
  ///   - row: the row's id, with the part's name after a dot.
  ///   - timeout: how long each program may take: the row's own Timeout.
  ///   - dconf: tells of changes on the session bus.
  package init(
    _ definition: GSettingsBackendDefinition, of row: String, timeout: Duration,
    runner: ProgramRunner, dconf: DConfNotices
  ) {
    self.definition = definition
    self.row = row
    self.timeout = timeout
    self.runner = runner
    self.dconf = dconf
    flips = FlipPrograms(runner, of: row, timeout: timeout)
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    subscription = dconf.subscribe(to: definition.key, path: definition.path) {
      [weak self] change in
      if change == .writability { self?.lock = .unknown }
      self?.look()
    }
    look()
  }

  package func read(_ completion: @escaping (Reading) -> Void) {
    lock = .unknown
    reads.ask(completion)
  }

  package func stop() {
    (report, subscription, valueRun, lockRun) = (nil, nil, nil, nil)
    flips.stop()
  }

  private func look() {
    reads.ask { [weak self] in self?.report?($0) }
  }

  // MARK: Reading

  /// The schema as the program takes it, with the path of one that has none of its own.
  private var schema: String {
    definition.path.map { "\(definition.schema):\($0)" } ?? definition.schema
  }

  private func readOnce(_ completion: @escaping (Reading) -> Void) {
    valueRun = runner.run(
      ["gsettings", "get", schema, definition.key],
      for: ProgramPurpose(.state, of: row), timeout: timeout
    ) { [weak self] result in
      guard let self else { return }
      valueRun = nil
      let reading = meaning(of: result)
      if reading.state != .unknown, lock == .unknown {
        readLock { completion(reading.with(self.lockProblem)) }
      } else {
        completion(reading.with(lockProblem))
      }
    }
  }

  /// Asks whether an administrator has locked the key.
  private func readLock(_ completion: @escaping () -> Void) {
    lockRun = runner.run(
      ["gsettings", "writable", schema, definition.key],
      for: ProgramPurpose(.state, of: row), timeout: timeout
    ) { [weak self] result in
      guard let self else { return }
      lockRun = nil
      if case .success(let result) = result, result.status.isSuccess {
        lock = result.output.starts(with: "false".utf8) ? .locked : .open
      }
      completion()
    }
  }

  private var lockProblem: Problem? {
    guard lock == .locked else { return nil }
    return Problem(.noAccess, "\(name) is locked by the administrator, in dconf's locks")
  }

  private var name: String { "\(schema) \(definition.key)" }

  private func meaning(of result: Result<ProgramResult, Problem>) -> Reading {
    let output: [UInt8]
    switch result {
    case .failure(let problem): return .unreadable(problem)
    case .success(let result):
      guard result.status.isSuccess else { return .unreadable(problem(of: result)) }
      output = result.output
    }
    let text = String(
      validating: output.last == UInt8(ascii: "\n") ? output.dropLast() : output[...], as: UTF8.self
    )
    guard let value = text.flatMap({ try? VariantText.parse($0).value() }) else {
      let shown = firstLine(of: output) ?? "nothing"
      return .unreadable(
        Problem(.unrecognised, "\(name) is \(shown), which can't be understood"))
    }
    return Reading(value, of: name, on: definition.on, off: definition.off)
  }

  /// What the program says of what is missing, in the language it is run in.
  private func problem(of result: ProgramResult) -> Problem {
    let complaint = result.complaint
    if complaint.hasPrefix("No such schema") {
      return Problem(
        .notFound,
        "there is no GSettings schema \(definition.schema); it comes with the program it is for")
    }
    if complaint.hasPrefix("No such key") {
      return Problem(
        .notFound, "the GSettings schema \(definition.schema) has no key \(definition.key)")
    }
    return Problem(.failed, "can't read \(name): \(complaint)")
  }

  // MARK: Writing

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    guard let value = (on ? definition.on : definition.off).first else {
      return completion(.failure(.noOffValue))
    }
    flips.run(on, ["gsettings", "set", schema, definition.key, value.source]) {
      [weak self] result in
      guard let self else { return }
      switch result {
      case .failure(let problem):
        completion(.failure(problem.flipError))
      case .success(let result) where result.status.isSuccess:
        completion(.success(()))
      case .success(let result) where result.complaint.contains("not writable"):
        completion(
          .failure(
            FlipError(
              .accessDenied, "\(name) is locked by the administrator, in dconf's locks")))
      case .success(let result):
        let problem = problem(of: result)
        completion(
          .failure(
            problem.isAbsence
              ? FlipError(.unavailable, problem.text)
              : FlipError(.backendFailed, "can't set \(name): \(result.complaint)")))
      }
    }
  }
}
