// SPDX-License-Identifier: MIT

import EventLoop

/// How many refusals of one user's are logged: who asks for what can't be, thousands of times a
/// second, must not use up what the journal takes, and with it the entries of what was done.
nonisolated struct RefusalLimit {
  private struct Count {
    var began: Duration
    var logged = 0
    var left = 0
  }

  /// What is to be done with one refusal.
  enum Verdict: Hashable {
    case log
    /// Log it, and that so many before it were not.
    case logAfter(Int)
    case leave
  }

  private var counts: [UInt32?: Count] = [:]

  private static let most = 20
  private static let time = Duration.seconds(60)
  /// As many users as are told apart; beyond that it starts anew.
  private static let users = 256

  /// Counts a refusal of a user's, nil where nobody knows whose it is.
  mutating func count(_ user: UInt32?, at now: Duration) -> Verdict {
    if counts.count >= Self.users, counts[user] == nil { counts.removeAll() }
    var count = counts[user] ?? Count(began: now)
    let isOver = now >= count.began + Self.time
    let left = count.left
    if isOver { count = Count(began: now) }
    defer { counts[user] = count }
    guard count.logged < Self.most else {
      count.left += 1
      return .leave
    }
    count.logged += 1
    return isOver && left > 0 ? .logAfter(left) : .log
  }
}
