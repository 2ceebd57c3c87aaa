// SPDX-License-Identifier: MIT

import DBus
package import EventLoop
package import Settings

/// A systemd unit: on is running, and enabled as well where the row file says so.
package final class UnitBackend: Backend {
  private let definition: UnitBackendDefinition
  private let loop: EventLoop
  private let timeout: Duration
  private let link: BusLink
  private var report: ((Reading) -> Void)?
  private var manager: UnitManager?
  private var observer: UnitObserver?
  /// Our own flips under way. Readings wait for the last of them: a unit that is enabled and then
  /// started does not pass through mixed.
  private var flips: [ObjectIdentifier: UnitFlip] = [:]
  private var delayedReads: [(Reading) -> Void] = []

  /// - Parameters:
  ///   - timeout: how long a reading or a flip may take: the row's own Timeout.
  ///   - link: the way to the bus of the definition.
  package init(
    _ definition: UnitBackendDefinition, timeout: Duration, loop: EventLoop, link: BusLink
  ) {
    self.definition = definition
    self.timeout = timeout
    self.loop = loop
    self.link = link
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    link.follow(self) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let bus): _ = observe(on: bus)
      case .failure(let problem): lose(problem)
      }
    }
  }

  package func read(_ completion: @escaping (Reading) -> Void) {
    link.reach(within: timeout) { [weak self] outcome in
      guard let self else { return completion(.unreadable(.notRead)) }
      switch outcome {
      case .success(let bus):
        observe(on: bus).observer.ask(loading: true) { [weak self] in
          guard let self else { return completion(.unreadable(.notRead)) }
          guard flips.isEmpty else { return delayedReads.append(completion) }
          completion(reading ?? .unreadable(.notRead))
        }
      case .failure(let problem): completion(.unreadable(problem))
      }
    }
  }

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    let limit = EventLoop.now + timeout
    link.reach(within: timeout) { [weak self] outcome in
      guard let self else { return completion(.failure(.backendGone)) }
      switch outcome {
      case .success(let bus):
        let (manager, observer) = observe(on: bus)
        let start = { [weak self] in
          guard let self else { return completion(.failure(.backendGone)) }
          let flip = UnitFlip(
            on, of: definition, called: observer.name, facts: observer.facts, manager: manager,
            options: origin.isInteractive ? .allowInteractiveAuthorization : [],
            timeout: limit - EventLoop.now, loop: loop)
          run(flip, completion)
        }
        // What the unit's file says has to be known before it is changed.
        if definition.enables { observer.ask(loading: true, start) } else { start() }
      case .failure(let problem): completion(.failure(FlipError(.unavailable, problem.text)))
      }
    }
  }

  private func run(_ flip: UnitFlip, _ completion: @escaping (Result<Void, FlipError>) -> Void) {
    flips[ObjectIdentifier(flip)] = flip
    flip.run { [weak self] result in
      guard let self else { return completion(result) }
      flips[ObjectIdentifier(flip)] = nil
      if case .success = result, flip.on { confirmStart(completion) } else { completion(result) }
      guard flips.isEmpty else { return }
      let reads = delayedReads
      delayedReads = []
      for completion in reads { read(completion) }
    }
  }

  package func stop() {
    link.unfollow(self)
    for flip in flips.values { flip.abandon() }
    observer?.stop()
    (report, manager, observer) = (nil, nil, nil)
    (flips, delayedReads) = ([:], [])
  }

  private func observe(on bus: RemoteBus) -> (manager: UnitManager, observer: UnitObserver) {
    if let manager, let observer { return (manager, observer) }
    let manager = bus.unitManager
    let observer = UnitObserver(definition, manager: manager, timeout: timeout) { [weak self] in
      guard let self, flips.isEmpty, let reading else { return }
      report?(reading)
    }
    (self.manager, self.observer) = (manager, observer)
    observer.start()
    return (manager, observer)
  }

  private func lose(_ problem: Problem) {
    observer?.stop(for: problem)
    (manager, observer) = (nil, nil)
    for flip in flips.values { flip.fail(FlipError(.unavailable, problem.text)) }
    report?(.unreadable(problem))
  }

  /// What is known, nil before anything has been heard.
  private var reading: Reading? {
    switch observer?.contents {
    case nil, .unread?: nil
    case .problem(let problem)?: .unreadable(problem)
    case .facts(let facts)?: facts.reading(of: definition)
    }
  }

  // MARK: A start's end

  /// A job that is done need not have left anything that runs.
  private func confirmStart(_ completion: @escaping (Result<Void, FlipError>) -> Void) {
    guard let observer, observer.facts?.activity == .stopped else {
      return completion(.success(()))
    }
    // A unit that is loaded and started at once is announced without its state.
    observer.ask(loading: false) { [definition] in
      guard let facts = observer.facts, facts.activity == .stopped else {
        return completion(.success(()))
      }
      completion(
        .failure(
          FlipError(
            .backendFailed,
            "\(definition.unit) does not run: it ended at once, or a condition of it is not met; "
              + "see \(definition.systemctl) status \(definition.unit)")))
    }
  }
}

extension Problem {
  nonisolated fileprivate static let notRead = Problem(.failed, "not read yet")
}
