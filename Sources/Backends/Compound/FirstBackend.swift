// SPDX-License-Identifier: MIT

import EventLoop
package import Settings

/// Several backends for one row: the first that is there serves it.
///
/// One that can't be read is there all the same. Which one serves is seen anew with each of their
/// readings, so the row moves on when one comes or goes. Those behind the one that serves are not
/// started: a machine has one of the programs that do a thing, and the others would only cost.
package final class FirstBackend: Backend {
  private let parts: [Part]
  private let timeout: Duration
  private var report: ((Reading) -> Void)?
  private var isSettling = false

  /// - Parameters:
  ///   - parts: the alternatives, the preferred one first; never empty.
  ///   - timeout: how long a flip may take: the row's own Timeout.
  package init(_ parts: [Part], timeout: Duration) {
    self.parts = parts
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
      isNeeded = part.isAbsent
    }
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

  /// Reads one after the other until one is there.
  private func read(from index: Int, _ completion: @escaping (Reading) -> Void) {
    guard index < parts.count else { return completion(absence) }
    let part = parts[index]
    part.read { [weak self] in
      guard let self else { return }
      settle()
      if part.isAbsent {
        read(from: index + 1, completion)
      } else {
        completion(reading(of: part))
      }
    }
  }

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    if let serving {
      serving.write(on, for: origin) { [weak self] result in
        self?.settle()
        completion(result.naming(serving))
      }
    } else {
      // What is not there may still be started by a flip: each has its chance.
      let attempts = Attempts(on, origin, deadline: EventLoop.now + timeout)
      write(attempts, to: 0, completion)
    }
  }

  package func stop() {
    report = nil
    for part in parts { part.stop() }
  }

  // MARK: Reading

  /// What the row is; nil while that is not known.
  private var reading: Reading? {
    for part in parts {
      if part.reading == nil { return nil }
      if !part.isAbsent { return reading(of: part) }
    }
    return absence
  }

  private func reading(of part: Part) -> Reading {
    guard let reading = part.reading, let problem = part.problem else {
      return part.reading ?? absence
    }
    return reading.with(problem)
  }

  /// That none of them is there, and why not. What may come back soonest gives the reason.
  private var absence: Reading {
    let texts = parts.compactMap(\.reading?.problem?.text)
    let problems = parts.compactMap(\.problem)
    let reason = [.noService, .noDevice, .notFound].first { reason in
      problems.contains { $0.reason == reason }
    }
    return .unreadable(
      Problem(
        reason ?? .failed, oneSentence(texts) ?? problems.map(\.text).joined(separator: "; ")))
  }

  // MARK: Writing

  private var serving: Part? {
    parts.first { $0.reading != nil && !$0.isAbsent }
  }

  /// That of the part that serves, or those of all that may come to.
  package func polkitActions(rowAction: String) -> Set<String>? {
    Set((serving.map { [$0] } ?? parts).map { $0.polkitAction(rowAction: rowAction) })
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
