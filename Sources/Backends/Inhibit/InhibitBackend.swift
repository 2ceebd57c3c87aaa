// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
package import EventLoop
package import Settings
import System

/// An inhibitor of logind's: on while we hold one.
///
/// Nothing but a descriptor of ours keeps it (see `Inhibitor`), so it ends with the row, and with
/// the daemon however that ends; a row begins as off. A logind that is started anew takes up what
/// it had written down, and until it has, nobody can say whether the inhibitor is still there.
package final class InhibitBackend: Backend {
  private let definition: InhibitBackendDefinition
  private let timeout: Duration
  private let loop: EventLoop
  private let link: BusLink
  private var report: ((Reading) -> Void)?
  private var nameWatch: NameWatch?
  private var inhibitor: Inhibitor?
  /// The number of the newest flip: what an earlier one is given comes too late.
  private var newestFlip = 0

  /// - Parameters:
  ///   - timeout: how long logind may take to answer: the row's own Timeout.
  ///   - link: the way to the system bus.
  package init(
    _ definition: InhibitBackendDefinition, timeout: Duration, loop: EventLoop, link: BusLink
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
      case .success(let bus): watch(bus)
      case .failure(let problem):
        // logind goes on without the bus, and so does the inhibitor.
        nameWatch = nil
        self.report?(.unreadable(problem))
      }
    }
  }

  package func stop() {
    link.unfollow(self)
    newestFlip += 1
    (report, nameWatch, inhibitor) = (nil, nil, nil)
  }

  private func watch(_ bus: RemoteBus) {
    nameWatch = bus.calls.connection.watchName(.logind) { [weak self] owner in
      guard let self else { return }
      if owner == nil {
        report?(.unreadable(.noLogind))
      } else {
        read { [weak self] in self?.report?($0) }
      }
    }
  }

  // MARK: Reading

  package func read(_ completion: @escaping (Reading) -> Void) {
    link.reach(within: timeout) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let bus): read(from: bus, completion)
      case .failure(let problem): completion(.unreadable(problem))
      }
    }
  }

  private func read(from bus: RemoteBus, _ completion: @escaping (Reading) -> Void) {
    // One that has just been started answers nothing before it has taken up what it had.
    var ping = CallQueue.Call(
      "Ping", of: .peer, at: .logind, destination: .logind, timeout: timeout)
    ping.options = .noAutoStart
    bus.calls.make(ping) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success: completion(reading)
      // Its pipe may end before the bus says that it is gone: one loss, one text.
      case .failure(let error) where error.isFailedStart: completion(.unreadable(.noLogind))
      case .failure(let error): completion(.unreadable(Problem(error, service: .logind)))
      }
    }
  }

  /// What is so while logind is there.
  private var reading: Reading {
    do throws(Errno) {
      // One that logind has dropped is kept all the same: logind may be about to start anew.
      return Reading(try inhibitor?.isHeld ?? false)
    } catch {
      return .unreadable(Problem(.failed, "can't tell whether logind has the inhibitor: \(error)"))
    }
  }

  // MARK: Flipping

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    newestFlip += 1
    // This needs nobody's help.
    if !on { inhibitor = nil }
    let limit = EventLoop.now + timeout
    link.reach(within: timeout) { [weak self, newestFlip] outcome in
      guard let self, newestFlip == self.newestFlip else {
        return completion(.failure(.backendGone))
      }
      switch outcome {
      case .success(let bus) where on:
        inhibit(
          bus.calls, origin.isInteractive ? .allowInteractiveAuthorization : [],
          timeout: limit - EventLoop.now, completion)
      case .success: completion(isLogindGone ? .failure(.noLogind) : .success(()))
      case .failure(let problem): completion(.failure(FlipError(.unavailable, problem.text)))
      }
    }
  }

  private func inhibit(
    _ calls: CallQueue, _ options: CallOptions, timeout: Duration,
    _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    var call = CallQueue.Call(
      "Inhibit", of: .logindManager, at: .logind, destination: .logind, timeout: timeout)
    call.arguments = [
      .string(definition.what.map(\.rawValue).joined(separator: ":")), .string(definition.who),
      .string(definition.why), .string(definition.mode.rawValue),
    ]
    call.options = options
    calls.make(call) { [weak self, newestFlip] result in
      // The descriptor of an answer that nobody takes is closed with the message.
      guard let self, newestFlip == self.newestFlip else {
        return completion(.failure(.backendGone))
      }
      switch result {
      case .success(let message): completion(hold(message))
      // The bus answers for a logind that dies as libdbus does for one that is silent.
      case .failure(let error) where error.name == .noReply && isLogindGone:
        completion(.failure(.noLogind))
      case .failure(let error): completion(.failure(FlipError(error, service: .logind)))
      }
    }
  }

  /// Whether the bus has said that logind is not there.
  private var isLogindGone: Bool {
    nameWatch.map { $0.isKnown && $0.owner == nil } ?? false
  }

  private func hold(_ answer: Message) -> Result<Void, FlipError> {
    do {
      // It takes the place of an earlier one, which ends only now.
      inhibitor = try Inhibitor(try answer.read(UnixDescriptor.self), loop: loop) { [weak self] in
        self?.read { self?.report?($0) }
      }
      return .success(())
    } catch {
      return .failure(
        FlipError(
          .backendFailed,
          "\(BusName.logind) answered Inhibit with something else than a pipe: \(error)"))
    }
  }
}

extension Problem {
  nonisolated fileprivate static let noLogind = Problem(
    .noService, "\(BusName.logind) is not running")
}

extension FlipError {
  nonisolated fileprivate static let noLogind = FlipError(
    .unavailable, "\(BusName.logind) is not running; nothing is inhibited")
}
