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
      guard let self else { return }
      switch outcome {
      case .success(let bus):
        observe(on: bus).observer.ask(loading: true) { [weak self] in
          completion(self?.reading ?? .unreadable(Problem(.failed, "not read yet")))
        }
      case .failure(let problem): completion(.unreadable(problem))
      }
    }
  }

  package func write(
    _ on: Bool, interactive: Bool, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    let limit = EventLoop.now + timeout
    link.reach(within: timeout) { [weak self] outcome in
      guard let self else { return completion(.failure(.backendGone)) }
      switch outcome {
      case .success(let bus):
        let (manager, observer) = observe(on: bus)
        let flip = UnitFlip(
          on, of: definition, called: observer.name, facts: observer.facts, manager: manager,
          options: interactive ? .allowInteractiveAuthorization : [],
          timeout: limit - EventLoop.now, loop: loop)
        run(flip, on, completion)
      case .failure(let problem): completion(.failure(FlipError(.unavailable, problem.text)))
      }
    }
  }

  private func run(
    _ flip: UnitFlip, _ on: Bool, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    flips[ObjectIdentifier(flip)] = flip
    flip.run { [weak self] result in
      guard let self else { return completion(result) }
      flips[ObjectIdentifier(flip)] = nil
      guard case .success = result, on else { return completion(result) }
      confirmStart(completion)
    }
  }

  package func stop() {
    link.unfollow(self)
    for flip in flips.values { flip.abandon() }
    observer?.stop()
    (report, manager, observer, flips) = (nil, nil, nil, [:])
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
    observer?.stop()
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
      let unit = definition.unit
      let what =
        facts.isConditionMet
        ? "\(unit) was started and ended at once" : "a condition of \(unit) is not met"
      completion(
        .failure(
          FlipError(.backendFailed, "\(what); see \(definition.systemctl) status \(unit)")))
    }
  }
}
