// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
package import EventLoop
package import Settings

/// A property of another service: a boolean, or any other value that means on or off.
///
/// Never starts the service by reading, unless Autostart says so; a flip may start it, since that
/// is what the user asked for.
package final class DBusBackend: Backend {
  private let definition: DBusBackendDefinition
  private let loop: EventLoop
  private let timeout: Duration
  private let link: BusLink
  private var report: ((Reading) -> Void)?
  private var remote: RemoteObjects?
  private var interval: IntervalTimer?
  /// Our own flips of several objects that are under way. Readings wait for the last of them: a row
  /// that is turned on does not pass through mixed.
  private var joinedWrites = 0

  /// - Parameters:
  ///   - timeout: how long a read for the row may take: the row's own Timeout.
  ///   - link: the way to the bus of the definition.
  package init(
    _ definition: DBusBackendDefinition, timeout: Duration, loop: EventLoop, link: BusLink
  ) {
    self.definition = definition
    self.timeout = timeout
    self.loop = loop
    self.link = link
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    interval = IntervalTimer(definition.interval, on: loop) { [weak self] in self?.read { _ in } }
    link.follow(self) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let bus): _ = subscribe(to: bus)
      case .failure(let problem):
        unsubscribe()
        self.report?(.unreadable(problem))
      }
    }
  }

  package func stop() {
    link.unfollow(self)
    unsubscribe()
    (report, interval) = (nil, nil)
  }

  private func unsubscribe() {
    remote?.unsubscribe(self)
    remote = nil
  }

  private func subscribe(to bus: RemoteBus) -> RemoteObjects {
    if let remote { return remote }
    let remote = bus.objects(
      RemoteObjects.Key(
        service: definition.service, target: definition.target,
        interface: definition.interface))
    self.remote = remote
    remote.subscribe(self, to: definition.property, timeout: timeout) { [weak self] in
      guard let self, joinedWrites == 0, let reading else { return }
      report?(reading)
    }
    // Others may have read it already.
    if let reading { report?(reading) }
    if definition.startsService { remote.readAll(activating: true, timeout: timeout) }
    return remote
  }

  package func read(_ completion: @escaping (Reading) -> Void) {
    link.reach(within: timeout) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let bus): read(from: subscribe(to: bus), completion)
      case .failure(let problem): completion(.unreadable(problem))
      }
    }
  }

  private func read(from remote: RemoteObjects, _ completion: @escaping (Reading) -> Void) {
    let done = { [weak self] in
      completion(self?.reading ?? .unreadable(Problem(.failed, "not read yet")))
    }
    if case .object(let path) = definition.target, !remote.paths.isEmpty {
      remote.refresh(definition.property, at: path, timeout: timeout, done)
    } else {
      remote.readAll(activating: definition.startsService, timeout: timeout, done)
    }
  }

  // MARK: What the values mean

  /// What is known, nil before anything has been heard.
  private var reading: Reading? {
    switch remote?.contents {
    case nil, .unread?: return nil
    case .problem(let problem)?:
      if definition.startsService, let objects = remote?.leftBehind { return reading(of: objects) }
      return .unreadable(problem)
    case .objects(let objects)?: return reading(of: objects)
    }
  }

  private func reading(of objects: [ObjectPath: RemoteObjects.Properties]) -> Reading {
    var (on, off) = (false, false)
    var problem: Problem?
    for (path, properties) in objects {
      let meaning = meaning(of: properties[definition.property], at: path)
      switch meaning.state {
      case .on: on = true
      case .off: off = true
      case .mixed, .unknown: problem = problem ?? meaning.problem
      }
    }
    if on && off { return .mixed }
    if let problem { return .unreadable(problem) }
    if on || off { return Reading(on) }
    return .unreadable(
      Problem(.noDevice, "\(definition.service) has no object with \(definition.interface)"))
  }

  private func meaning(of property: Result<Value, Problem>?, at path: ObjectPath) -> Reading {
    let value: Value
    switch property {
    case .success(let found)?: value = found
    case .failure(let problem)?: return .unreadable(problem)
    case nil:
      return .unreadable(
        Problem(
          .notFound,
          "\(path) of \(definition.service) has no property \(definition.interface)."
            + "\(definition.property)"))
    }
    return Reading(
      value, of: "\(definition.property) of \(definition.service)", on: definition.on,
      off: definition.off)
  }

  // MARK: Writing

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    guard let text = (on ? definition.on : definition.off).first else {
      return completion(.failure(.noOffValue))
    }
    let limit = EventLoop.now + timeout
    link.reach(within: timeout) { [weak self] outcome in
      guard let self else { return completion(.failure(.backendGone)) }
      switch outcome {
      case .success(let bus):
        let write = Write(
          remote: subscribe(to: bus), definition: definition, on: on, text: text,
          interactive: origin.isInteractive, timeout: limit - EventLoop.now)
        run(write, on, completion)
      case .failure(let problem): completion(.failure(FlipError(.unavailable, problem.text)))
      }
    }
  }

  private func run(
    _ write: Write, _ on: Bool, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    let remote = write.remote
    switch definition.target {
    case .object(let path): write.set(at: path, completion)
    case .implementers:
      let paths = remote.paths
      guard paths.isEmpty else { return writeAll(write, wrongPaths(paths, on), completion) }
      // Nothing is known to be there: perhaps only the service is not running yet.
      remote.readAll(activating: true, timeout: timeout) { [weak self] in
        guard let self else { return completion(.failure(.backendGone)) }
        if remote.paths.isEmpty, let problem = reading?.problem {
          return completion(.failure(FlipError(.unavailable, problem.text)))
        }
        writeAll(write, wrongPaths(remote.paths, on), completion)
      }
    }
  }

  private func writeAll(
    _ write: Write, _ paths: [ObjectPath],
    _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    joinedWrites += 1
    write.set(at: paths) { [weak self] result in
      if let self {
        joinedWrites -= 1
        if joinedWrites == 0, let reading { report?(reading) }
      }
      completion(result)
    }
  }

  /// The objects that do not have the wished value yet.
  private func wrongPaths(_ paths: [ObjectPath], _ on: Bool) -> [ObjectPath] {
    guard case .objects(let objects)? = remote?.contents else { return paths }
    return paths.filter {
      meaning(of: objects[$0]?[definition.property], at: $0) != Reading(on)
    }
  }
}

extension FlipError {
  nonisolated static let backendGone = FlipError(.unavailable, "the row was changed meanwhile")
}
