// SPDX-License-Identifier: MIT

// A locked row is kept at its default: it is put there when it is first read, when its file changes
// and when what is behind it comes back, and a change from outside is put right. Whoever changes it
// once more within a minute is let be, and told of: a switch that two programs fight over helps
// nobody. What can't be put right is not tried again before it has become another.
//
// A lock begins anew, with all its tries, on a change of the row's file, on Reload, after a sleep
// and with the daemon. Refresh is not among them: reading never writes.

extension Row {
  /// What the lock of a row has done.
  struct Lock: Sendable {
    /// Whether the row has been at its default since the lock last wrote or the row was away.
    var isKept = false
    /// When the lock last wrote.
    var lastWrite: Duration?
    /// When a change from outside was last put right.
    var lastReassertion: Duration?
    /// Why the row is left as it is.
    var obstacle: Obstacle?
    /// What a person has been told of it.
    var reported: String?

    /// What keeps a row from its default.
    enum Obstacle: Sendable {
      /// It was put right, and changed again at once.
      case opponent
      /// It could not be put right while it was so; with the backend's words.
      case failure(Reading, String)
    }
  }

  /// What is to be done for a lock.
  enum LockStep {
    case nothing
    case wait(Duration)
    case write(Bool)
    case report(String)
  }

  /// How long a row that was put right has to stay so for the next change to be put right too.
  package static let reassertInterval = Duration.seconds(60)
  /// How long the lock waits between two tries at a row that comes and goes, or fails.
  package static let relockInterval = Duration.seconds(10)

  /// Has the lock of the row begin anew: someone says that what was in its way is gone.
  package mutating func enforceAgain(at now: Duration) -> [Effect] {
    guard rules.isLocked else { return [] }
    lock = Lock()
    let step = lockStep(at: now)
    return announce() + effects(of: step)
  }

  /// Decides what the lock does about the row as it was last read. To be asked before that is
  /// announced, as it is part of what the row shows.
  mutating func lockStep(at now: Duration) -> LockStep {
    guard rules.isLocked, let wanted = rules.defaultValue, !isBusy, let latest else {
      return .nothing
    }
    if !latest.isReachable || latest.settles(wanted) {
      (lock.isKept, lock.obstacle) = (latest.isReachable, nil)
      return .nothing
    }
    switch lock.obstacle {
    case .opponent?: return reportObstacle()
    // Its words may be others each time.
    case .failure(let reading, _)?
    where reading.state == latest.state && reading.problem?.reason == latest.problem?.reason:
      return reportObstacle()
    case .failure?, nil: break
    }
    if lock.isKept {
      if let last = lock.lastReassertion, now < last + Row.reassertInterval {
        lock.obstacle = .opponent
        return reportObstacle()
      }
      lock.lastReassertion = now
      lock.reported = nil
    } else if let last = lock.lastWrite, now < last + Row.relockInterval {
      return .wait(last + Row.relockInterval - now)
    }
    (lock.isKept, lock.lastWrite, lock.obstacle) = (false, now, nil)
    return .write(wanted)
  }

  mutating func effects(of step: LockStep) -> [Effect] {
    switch step {
    case .nothing: rules.isLocked ? [.disarm(.enforce)] : []
    case .wait(let delay): [.arm(.enforce, after: delay)]
    case .write(let on):
      [.disarm(.enforce)] + begin(Wish(on: on, tickets: [], origin: Origin(.lock)))
    case .report(let text): [.disarm(.enforce), .note(text)]
    }
  }

  private mutating func reportObstacle() -> LockStep {
    guard let text = obstacleText, text != lock.reported else { return .nothing }
    lock.reported = text
    return .report("row \(id) is \(text)")
  }

  /// What is to be told of what keeps a locked row from its default; nil for nothing.
  var obstacleText: String? {
    guard let obstacle = lock.obstacle, let wanted = rules.defaultValue else { return nil }
    let lockedAs = "locked \(wanted ? "on" : "off") by the administrator, but \(state.rawValue)"
    return switch obstacle {
    case .opponent:
      "\(lockedAs): something else changes it each time that it is put right; "
        + "stop that, then run togglectl reload"
    case .failure(_, let words):
      "\(lockedAs): it can't be put right: \(words); once it can be, run togglectl reload"
    }
  }
}
