// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import Glibc
import Settings
import System

/// A program that systemd runs in a unit of its own.
///
/// How it ends systemd tells in the unit's signals, which come to us for as long as we hold a
/// reference to the unit; that also keeps the unit until they were read.
final class ProgramUnit: HostedProgram {
  private let program: ProgramRequest
  private let path: String
  private let name: String
  private let host: UnitHost
  private let manager: UnitManager
  private var properties: [(String, Value)]
  private var ended: ((Result<ExitStatus, Problem>) -> Void)?
  private var match: MatchHandle?
  private var limit: Timer?
  private var state = State.waiting
  private var facts = Facts()

  private enum State {
    /// For systemd, which is not on the bus for the moment.
    case waiting
    /// systemd was asked to start the unit.
    case starting
    case started
  }

  /// How long systemd may take to start a unit, or to come back.
  static let startTime = Duration.seconds(10)

  /// - Parameters:
  ///   - path: the program's file.
  ///   - name: the unit's name, unlike any other.
  ///   - script: what the unit's shell is to read.
  ///   - ownUnit: the daemon's own unit, which takes this one with it when it stops.
  init(
    _ program: ProgramRequest, path: String, called name: String, boundTo ownUnit: String?,
    script: consuming FileDescriptor, output: consuming FileDescriptor,
    error: consuming FileDescriptor, host: UnitHost,
    manager: UnitManager,
    loop: EventLoop, ended: @escaping (Result<ExitStatus, Problem>) -> Void
  ) {
    self.program = program
    self.path = path
    self.name = name
    self.host = host
    self.manager = manager
    self.ended = ended
    properties = Self.properties(
      of: program, boundTo: ownUnit, input: Self.value(script), output: Self.value(output),
      error: Self.value(error))
    limit = loop.after(Self.startTime) { [weak self] in self?.giveUp() }
  }

  /// Has systemd, which is on the bus, start it.
  private func start() {
    state = .starting
    match = manager.calls.connection.addMatch(
      MatchRule(
        sender: .systemd, path: ObjectPath(unit: name).map { .object($0) },
        interface: .properties, member: "PropertiesChanged")
    ) { [weak self] message in
      guard let self, (try? facts.take(message, hasInterface: true)) != nil else { return }
      endWhereOver()
    }
    let noUnits = Value.array(
      of: .structure([.string, .array(.structure([.string, .variant]))]), [])
    // "fail": what stops the daemon's own unit is not to be undone for this one's sake.
    let call = manager.call(
      "StartTransientUnit",
      [
        .string(name), .string("fail"),
        .array(
          of: .structure([.string, .variant]),
          properties.map { .structure([.string($0.0), .variant($0.1)]) }),
        noUnits,
      ], timeout: Self.startTime)
    manager.calls.make(call) { [weak self] result in
      guard let self, ended != nil else { return }
      switch result {
      case .success:
        // With the ends of its pipes that systemd has now.
        (state, limit, properties) = (.started, nil, [])
      case .failure(let error) where error.isOfAbsence:
        // systemd left with the question, and may have answered before.
        state = .waiting
      case .failure(let error) where error.name == "org.freedesktop.systemd1.UnitExists":
        (state, limit, properties) = (.started, nil, [])
        lookAgain()
      case .failure(let error):
        // Where there was no answer it may run all the same.
        stop()
        let problem = Problem(error, unit: path)
        end(.failure(Problem(problem.reason, "can't run \(program.arguments[0]): \(problem.text)")))
      }
    }
  }

  /// systemd is there, perhaps again, and may have told of the end while we did not hear it.
  func lookAgain() {
    switch state {
    case .waiting: start()
    case .starting: break
    case .started:
      guard let path = ObjectPath(unit: name) else { return }
      var call = CallQueue.Call(
        "GetAll", of: .properties, at: path, destination: .systemd, timeout: Self.startTime)
      // Of all its interfaces.
      call.arguments = [.string("")]
      call.options = .noAutoStart
      manager.calls.make(call) { [weak self] result in
        guard let self, ended != nil else { return }
        switch result {
        case .success(let message):
          if (try? facts.take(message, hasInterface: false)) != nil { endWhereOver() }
        case .failure(let error) where error.name == .unknownObject || error.isNoSuchUnit:
          end(.failure(lost("systemd does not know how it ended")))
        case .failure: break
        }
      }
    }
  }

  func terminate() {
    guard manager.calls.connection.isConnected else {
      return end(.failure(lost("the bus went away")))
    }
    switch state {
    case .waiting, .starting: giveUp()
    case .started: stop()
    }
  }

  private func giveUp() {
    let isAway = state == .waiting
    if match != nil { stop() }
    end(
      .failure(
        isAway
          ? Problem(.noService, "can't run \(program.arguments[0]): systemd is not on the bus")
          : Problem(.timeout, "can't run \(program.arguments[0]): systemd does not start it")))
  }

  private func stop() {
    guard ended != nil else { return }
    host.tell("StopUnit", [.string(name), .string("replace")])
  }

  // MARK: The end

  private func endWhereOver() {
    if let status = facts.status {
      if Self.notExecuted.contains(status), let error = Errno(executing: path) {
        end(.failure(Problem(error, program: program.arguments[0])))
      } else {
        end(.success(status))
      }
    } else if facts.isOver {
      end(.failure(lost("systemd did not start it: \(facts.result.shortened(to: 40))")))
    }
  }

  /// How a shell ends that could not become the program: sh(1). The program may end like that too.
  private static let notExecuted: Set<ExitStatus> = [.exited(126), .exited(127)]

  private func lost(_ words: String) -> Problem {
    Problem(.failed, "can't run \(program.arguments[0]): \(words)")
  }

  private func end(_ outcome: Result<ExitStatus, Problem>) {
    guard let ended else { return }
    // What comes twice, or too late, is refused.
    if match != nil { host.tell("UnrefUnit", [.string(name)]) }
    (self.ended, match, limit, properties) = (nil, nil, nil, [])
    ended(outcome)
  }
}
