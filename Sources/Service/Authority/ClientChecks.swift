// SPDX-License-Identifier: MIT

import DBus
import DBusTypes

/// What one client has to have allowed, one thing after the other.
///
/// So a client has one question open at most, and no client keeps polkit from another. polkit
/// remembers an answer for a while (`auth_admin_keep`): what waits behind a question is tried
/// without one first, so several rows take one. A person who has dismissed a question is not asked
/// the same for those that were waiting.
final class ClientChecks {
  private struct Check {
    let permission: Permission
    let mayAsk: Bool
    let completion: (Polkit.Answer) -> Void
  }

  private let client: BusName
  private let polkit: Polkit
  private let connection: Connection
  private let questions: QuestionLimit
  private let userID: UInt32?
  private var checks: [Check] = []
  private var isChecking = false
  /// While a question is open, what tells that the client went.
  private var watch: NameWatch?
  /// Whether it went: for good, as its name is never given to another.
  private var hasGone = false
  /// What a person was asked for in vain, and what came of it.
  private var vain: [String: Polkit.Answer] = [:]

  init(
    _ client: BusName, userID: UInt32?, polkit: Polkit, connection: Connection,
    questions: QuestionLimit
  ) {
    (self.client, self.userID, self.polkit) = (client, userID, polkit)
    (self.connection, self.questions) = (connection, questions)
  }

  /// Whether nothing is under way.
  var isIdle: Bool { checks.isEmpty }

  /// Has a permission checked; `completion` runs once.
  func add(
    _ permission: Permission, mayAsk: Bool, _ completion: @escaping (Polkit.Answer) -> Void
  ) {
    checks.append(Check(permission: permission, mayAsk: mayAsk, completion: completion))
    if !isChecking { next() }
  }

  private func next() {
    guard let check = checks.first else { return vain = [:] }
    isChecking = true
    polkit.check(check.permission, for: client, asking: false) { [self] answer in
      guard answer == .needsPerson, check.mayAsk else { return finish(answer) }
      if let answer = vain[check.permission.action] { return finish(answer) }
      ask(check.permission)
    }
  }

  private func ask(_ permission: Permission) {
    guard !hasGone else { return finish(.dismissed) }
    guard questions.take(userID) else { return finish(.tooManyQuestions) }
    // polkit takes the question back by itself when its subject has left the bus. That is not done
    // here as well: what is cancelled twice can make polkitd wait for itself for ever.
    watch = connection.watchName(client) { [weak self] owner in
      if owner == nil { self?.hasGone = true }
    }
    polkit.check(permission, for: client, asking: true) { [self] answer in
      questions.giveBack(userID)
      watch = nil
      // Who has gone does not want it any more, whatever was typed in that moment.
      let answer = hasGone ? .dismissed : answer
      if answer != .allowed { vain[permission.action] = answer }
      finish(answer)
    }
  }

  private func finish(_ answer: Polkit.Answer) {
    let check = checks.removeFirst()
    isChecking = false
    if case .unavailable = answer {
      // Nobody is to wait for each of them in turn.
      let rest = checks
      checks = []
      for other in rest { other.completion(answer) }
    }
    // The completion may add another, which then begins at once.
    check.completion(answer)
    if !isChecking { next() }
  }
}

/// How many questions may be open: one client's must not take the place of all others'.
final class QuestionLimit {
  private var open: [UInt32?: Int] = [:]

  private static let ofUser = 2
  private static let ofAll = 8

  /// Takes a place, where one is left.
  func take(_ userID: UInt32?) -> Bool {
    guard open[userID, default: 0] < Self.ofUser, open.values.reduce(0, +) < Self.ofAll else {
      return false
    }
    open[userID, default: 0] += 1
    return true
  }

  /// Gives it back.
  func giveBack(_ userID: UInt32?) {
    guard let count = open[userID] else { return }
    open[userID] = count > 1 ? count - 1 : nil
  }
}
