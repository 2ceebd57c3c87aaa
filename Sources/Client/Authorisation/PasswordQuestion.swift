// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import Glibc
import System

/// What a command does where polkit wants a password before a row of the machine is flipped.
///
/// Every row is tried without a question first, so that one is only asked where it is known to be
/// needed, and nothing is started for the others. polkit keeps a right password for the rest of
/// the command; after a refusal, such as of a wrong one, the command does not ask for its other
/// rows again.
final class PasswordQuestion {
  private let loop: ConnectionLoop
  /// What came of the one try to start an agent.
  private var agent: Result<PasswordAgent, PasswordAgent.Obstacle>?
  private var wasRefused = false

  /// What ends this program, and must not leave the terminal without echo.
  private static let endings = [SIGINT, SIGTERM]

  /// - Parameter loop: that of the connection which the calls are made on.
  init(_ loop: ConnectionLoop) {
    self.loop = loop
  }

  /// Makes a call during which a person may be asked. `start` is handed what it ends with.
  ///
  /// - Parameter error: what the same call came to when nobody was to be asked.
  func ask(
    after error: RemoteError, _ start: (@escaping (CallResult) -> Void) -> PendingCall
  ) throws(RemoteError) -> Message {
    if wasRefused { throw error.adding("none is asked for after a refusal") }
    let agent = startedAgent()
    switch try wait(for: start) {
    case .success(let reply): return reply
    case .failure(let dbusError):
      let error = RemoteError(dbusError)
      wasRefused = error.isDenial
      guard error.takesPassword else { throw error }
      switch agent {
      case .success(let agent):
        let reason = agent.complaint.map { ": \($0)" } ?? ""
        throw error.adding("pkttyagent could not ask\(reason)")
      case .failure(let obstacle): throw error.adding("\(obstacle)")
      }
    }
  }

  /// The agent for the terminal, or why there is none: a desktop may have one of its own.
  private func startedAgent() -> Result<PasswordAgent, PasswordAgent.Obstacle> {
    if let agent { return agent }
    let started = Result { () throws(PasswordAgent.Obstacle) in try PasswordAgent() }
    agent = started
    return started
  }

  /// Waits for a call's answer as long as a person takes. A signal that ends this program ends
  /// the agent first, so that the shell finds the terminal as it was.
  private func wait(
    for start: (@escaping (CallResult) -> Void) -> PendingCall
  ) throws(RemoteError) -> CallResult {
    var result: CallResult?
    var signals: SignalWatch?
    defer {
      signals?.cancel()
      Signals.unblock(Self.endings)
    }
    try loop.run { loop throws(Errno) in
      signals = try loop.signals(Self.endings) { [agent] signal in
        try? agent?.get().stop()
        Signals.endProcess(by: signal)
      }
      _ = start {
        result = $0
        loop.stop()
      }
    }
    return result ?? .failure(DBusError(.disconnected, "the bus was left"))
  }
}
