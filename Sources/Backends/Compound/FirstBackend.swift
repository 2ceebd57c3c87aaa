// SPDX-License-Identifier: MIT

import EventLoop
package import Settings

/// Several backends for one row: the first that is there serves it.
///
/// One that can't be read is there all the same. Which one serves is seen anew with each of their
/// readings, so the row moves on when one comes or goes. Those behind the one that serves are not
/// started: a machine has one of the programs that do a thing, and the others would only cost.
///
/// Where one that is on is preferred, all are started, and of those that are there the first that
/// is on serves. It goes on to when it is turned off, so that on turns on what was on before. While
/// none is on, or was, one that can't be read may be it, and then the row can't be read.
package final class FirstBackend: Backend {
  private let parts: [Part]
  private let prefersOn: Bool
  private let timeout: Duration
  /// The one that was last on, where such a one is preferred.
  private var lastOn: Part?
  private var report: ((Reading) -> Void)?
  private var isSettling = false

  /// - Parameters:
  ///   - parts: the alternatives, the preferred one first; never empty.
  ///   - prefersOn: whether one that is on goes before those that are off.
  ///   - timeout: how long a flip may take: the row's own Timeout.
  package init(_ parts: [Part], prefersOn: Bool = false, timeout: Duration) {
    self.parts = parts
    self.prefersOn = prefersOn
    self.timeout = timeout
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    partChanged()
  }

  /// Starts what is needed to tell who serves, and ends what is behind it.
  private func settle() {
    guard report != nil, !isSettling else { return }
    isSettling = true
    defer { isSettling = false }
    var isNeeded = true
    for part in parts {
      if !isNeeded {
        if part.isStarted, !part.isAsked { part.stop() }
        continue
      }
      if !part.isStarted { part.start { [weak self] in self?.partChanged() } }
      isNeeded = part.isAbsent || prefersOn
    }
    if prefersOn { lastOn = partsOn.first ?? lastOn }
  }

  private func partChanged() {
    // One that has its reading as it is started is seen in the same go.
    guard !isSettling else { return }
    settle()
    // Before those that are preferred have been read there is no telling.
    guard let reading else { return }
    report?(reading)
  }

  package func read(_ completion: @escaping (Reading) -> Void) {
    read(from: 0, completion)
  }

  /// Reads one after the other until it is known who serves.
  private func read(from index: Int, _ completion: @escaping (Reading) -> Void) {
    guard index < parts.count else { return completion(reading ?? absence) }
    let part = parts[index]
    part.read { [weak self] in
      guard let self else { return }
      settle()
      if part.isAbsent || prefersOn {
        read(from: index + 1, completion)
      } else {
        completion(reading(of: part))
      }
    }
  }

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    write(on, for: origin, until: EventLoop.now + timeout, completion)
  }

  private func write(
    _ on: Bool, for origin: Origin, until deadline: Duration,
    _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    if prefersOn, !isRead {
      // Which one is on has to be known first.
      read { [weak self] _ in self?.write(on, for: origin, until: deadline, completion) }
    } else if let problem = suspect?.problem {
      // It may be the one in use, and another beside it would be one too many.
      completion(.failure(FlipError(.backendFailed, problem.text)))
    } else if let serving {
      write(on, to: on ? [serving] : others + [serving], for: origin, until: deadline, completion)
    } else {
      // What is not there may still be started by a flip: each has its chance.
      write(Attempts(on, origin, deadline: deadline), to: 0, completion)
    }
  }

  package func stop() {
    (report, lastOn) = (nil, nil)
    for part in parts { part.stop() }
  }

  // MARK: Reading

  /// What the row is; nil while that is not known.
  private var reading: Reading? {
    if prefersOn { return isRead ? serving.map(reading(of:)) ?? absence : nil }
    for part in parts {
      if part.reading == nil { return nil }
      if !part.isAbsent { return reading(of: part) }
    }
    return absence
  }

  private var isRead: Bool { parts.allSatisfy { $0.reading != nil } }

  private func reading(of part: Part) -> Reading {
    guard let reading = part.reading, let problem = part.problem else {
      return part.reading ?? absence
    }
    return reading.with(problem)
  }

  private var absence: Reading { .unreadable(parts.absence) }

  // MARK: Writing

  private var serving: Part? {
    let there = parts.filter { $0.reading != nil && !$0.isAbsent }
    guard prefersOn else { return there.first }
    guard isRead else { return nil }
    if let part = partsOn.first ?? lastOn, !part.isAbsent { return part }
    if let part = partsRunning.first ?? suspect { return part }
    // One with a problem, such as a unit that is masked, can't be turned on.
    return there.first { $0.problem == nil } ?? there.first
  }

  /// One that may be the one in use, for all that is known: it can't be read, and no other is on or
  /// was. Only where one that is on is preferred.
  private var suspect: Part? {
    guard prefersOn, isRead, partsRunning.isEmpty, lastOn?.isAbsent != false else { return nil }
    return parts.first { $0.reading?.state == .unknown && !$0.isAbsent }
  }

  private var partsOn: [Part] { parts.filter { $0.reading?.state == .on } }

  /// Those that are on, if only in part.
  private var partsRunning: [Part] {
    parts.filter { $0.reading?.state == .on || $0.reading?.state == .mixed }
  }

  /// Those that are on beside the one that serves: off is when they are off as well.
  private var others: [Part] {
    guard prefersOn, let serving else { return [] }
    return partsRunning.filter { $0 !== serving }.reversed()
  }

  /// That of the parts that a flip is for, or those of all that it may be for.
  package func polkitActions(rowAction: String) -> Set<String>? {
    Set((serving.map { others + [$0] } ?? parts).map { $0.polkitAction(rowAction: rowAction) })
  }

  /// Writes to one after the other, of which there is at least one, until one fails.
  private func write(
    _ on: Bool, to parts: [Part], for origin: Origin, until deadline: Duration,
    _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    let part = parts[0]
    // Who asked has been given an answer by then, and nothing must flip behind their back.
    guard EventLoop.now < deadline else {
      return completion(.failure(FlipError(.timedOut, "\(part.name): there was no time left")))
    }
    part.write(on, for: origin) { [weak self] result in
      self?.settle()
      guard case .success = result, parts.count > 1 else {
        return completion(result.naming(part))
      }
      // Before the next is turned off, or this one would look as if it was on for longer.
      part.read { [weak self] in
        self?.settle()
        self?.write(
          on, to: Array(parts.dropFirst()), for: origin, until: deadline, completion)
      }
    }
  }

  /// A flip that is tried on one after the other.
  private struct Attempts {
    let on: Bool
    let origin: Origin
    let deadline: Duration
    var errors: [FlipError] = []

    init(_ on: Bool, _ origin: Origin, deadline: Duration) {
      self.on = on
      self.origin = origin
      self.deadline = deadline
    }

    var error: FlipError {
      FlipError(.unavailable, errors.map(\.message).joined(separator: "; "))
    }
  }

  private func write(
    _ attempts: Attempts, to index: Int,
    _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    // Who asked has been given an answer by then, and nothing must flip behind their back.
    guard index < parts.count, EventLoop.now < attempts.deadline else {
      return completion(.failure(attempts.error))
    }
    let part = parts[index]
    part.write(attempts.on, for: attempts.origin) { [weak self] result in
      guard case .failure(let error) = result.naming(part), error.kind == .unavailable, let self
      else { return completion(result.naming(part)) }
      var attempts = attempts
      attempts.errors.append(error)
      write(attempts, to: index + 1, completion)
    }
  }
}

extension Result<Void, FlipError> {
  /// The same, with the part's name in what went wrong.
  nonisolated fileprivate func naming(_ part: Part) -> Result<Void, FlipError> {
    mapError { FlipError($0.kind, "\(part.name): \($0.message)") }
  }
}
