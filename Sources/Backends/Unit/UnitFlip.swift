// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import Settings

/// One flip of a unit: enables or disables it where that is asked for, then starts or stops it, and
/// waits for the end of systemd's job.
final class UnitFlip {
  typealias Completion = (Result<Void, FlipError>) -> Void

  let on: Bool
  private let unit: UnitBackendDefinition
  private let name: String
  private let facts: UnitFacts?
  private let manager: UnitManager
  private let options: CallOptions
  private let deadline: Duration
  private let loop: EventLoop
  private var completion: Completion?
  private var timer: Timer?
  private var jobMatch: MatchHandle?
  private var job: ObjectPath?
  /// The results of the jobs that have ended since the call: ours may end before its answer comes.
  private var results: [ObjectPath: String] = [:]

  /// - Parameters:
  ///   - name: the unit's own name: only by that it can be enabled.
  ///   - facts: what is known of it.
  init(
    _ on: Bool, of unit: UnitBackendDefinition, called name: String, facts: UnitFacts?,
    manager: UnitManager, options: CallOptions, timeout: Duration, loop: EventLoop
  ) {
    self.on = on
    self.unit = unit
    self.name = name
    self.facts = facts
    self.manager = manager
    self.options = options
    self.loop = loop
    deadline = EventLoop.now + timeout
  }

  /// Calls `completion` once, unless the flip is abandoned.
  func run(_ completion: @escaping Completion) {
    self.completion = completion
    timer = loop.after(deadline - EventLoop.now) { [weak self] in
      guard let self else { return }
      let what = on ? "started" : "stopped"
      end(
        .failure(
          FlipError(
            .timedOut,
            "\(unit.unit) has not \(what) in time; see \(unit.systemctl) status \(unit.unit)")))
    }
    manager.subscribe(self) { [weak self] event in
      if case .present = event { self?.lookForJob() }
    }
    // A unit that can be neither enabled nor disabled is left as it is.
    let hasInstallation = facts.map { $0.isEnabled != nil } ?? true
    if unit.enables, hasInstallation { changeFiles() } else { queueJob() }
  }

  /// Ends it without a word; a job that was queued goes on.
  func abandon() {
    manager.unsubscribe(self)
    (completion, timer, jobMatch) = (nil, nil, nil)
  }

  /// Ends it with an error, unless it has ended.
  func fail(_ error: FlipError) {
    end(.failure(error))
  }

  private func end(_ result: Result<Void, FlipError>) {
    let completion = completion
    abandon()
    completion?(result)
  }

  /// Calls a method of the manager; what fails ends the flip.
  private func call(
    _ member: MemberName, _ arguments: [Value], then go: @escaping (Message) -> Void
  ) {
    let call = manager.call(
      member, arguments, options: options, timeout: deadline - EventLoop.now)
    manager.calls.make(call) { [weak self] result in
      guard let self, completion != nil else { return }
      switch result {
      case .success(let message): go(message)
      case .failure(let error): end(.failure(FlipError(error, unit: unit)))
      }
    }
  }

  // MARK: Enabling

  private func changeFiles() {
    let names = Value.array(of: .string, [.string(name)])
    // What was enabled until the next boot is only disabled by saying so.
    let isTransient = Value.boolean(!on && facts?.fileState == "enabled-runtime")
    let isForced = Value.boolean(false)
    call(
      on ? "EnableUnitFiles" : "DisableUnitFiles",
      on ? [names, isTransient, isForced] : [names, isTransient]
    ) { [self] message in
      // Its last argument lists what was linked and unlinked.
      guard case .array(_, let changes)? = try? message.values().last, changes.isEmpty else {
        return call("Reload", []) { [self] _ in queueJob() }
      }
      queueJob()
    }
  }

  // MARK: The job

  private func queueJob() {
    jobMatch = manager.calls.connection.addMatch(.manager("JobRemoved")) { [weak self] message in
      guard
        let self,
        let (_, job, _, result) = try? message.read(
          UInt32.self, ObjectPath.self, String.self, String.self)
      else { return }
      results[job] = result
      endWithJob()
    }
    call(on ? "StartUnit" : "StopUnit", [.string(unit.unit), .string("replace")]) {
      [self] message in
      guard let job = try? message.read(ObjectPath.self) else {
        let text = "systemd did not say which job is to flip \(unit.unit)"
        return end(.failure(FlipError(.backendFailed, text)))
      }
      self.job = job
      endWithJob()
    }
  }

  private func endWithJob() {
    guard let job else { return }
    let result = results[job]
    results = [:]
    if let result { end(outcome(of: result)) }
  }

  /// Whether the job is still there after systemd was not to be heard for a while.
  private func lookForJob() {
    guard let job, completion != nil else { return }
    var call = CallQueue.Call(
      "Get", of: .properties, at: job, destination: .systemd, timeout: deadline - EventLoop.now)
    call.arguments = [.string(InterfaceName.systemdJob.rawValue), .string("State")]
    call.options = .noAutoStart
    manager.calls.make(call) { [weak self] result in
      // How it ended is for the next reading to say.
      if case .failure(let error) = result, error.name == .unknownObject { self?.end(.success(())) }
    }
  }

  private func outcome(of result: String) -> Result<Void, FlipError> {
    let name = unit.unit
    let what: String
    switch result {
    case "done": return .success(())
    case "canceled":
      what = "the \(on ? "start" : "stop") of \(name) was cancelled by someone else"
    case "timeout": what = "\(name) took too long to \(on ? "start" : "stop")"
    case "dependency": what = "\(name) can't be started: something that it needs failed"
    case "failed": what = "\(name) failed to \(on ? "start" : "stop")"
    default: what = "\(name) did not \(on ? "start" : "stop"): \(result.shortened(to: 40))"
    }
    return .failure(
      FlipError(.backendFailed, "\(what); see \(unit.systemctl) status \(name)"))
  }
}
