// SPDX-License-Identifier: MIT

/// What a row shows as its `State`.
package enum SwitchState: String, Hashable, Sendable {
  case on, off, mixed
  /// Not read yet, or it can't be read now.
  case unknown

  package init(_ on: Bool) {
    self = on ? .on : .off
  }
}

/// Why a row can't be read or flipped now: the words of the `Reason` property.
package enum Reason: String, Hashable, Sendable {
  case locked
  case noService = "no-service"
  case noDevice = "no-device"
  case notFound = "not-found"
  case noAccess = "no-access"
  case hardBlocked = "hard-blocked"
  case unrecognised
  case timeout
  case failed
}

/// Why a backend could not be read: one of the reasons, and what to tell a person.
package struct Problem: Error, Hashable, Sendable {
  package let reason: Reason
  package let text: String

  package init(_ reason: Reason, _ text: String) {
    self.reason = reason
    self.text = text
  }

  /// Whether the thing itself answered, though not with a value that means on or off.
  package var isReachable: Bool {
    reason == .unrecognised || reason == .hardBlocked
  }

  /// Whether there is nothing behind the row at all, as against something that can't be read.
  package var isAbsence: Bool {
    switch reason {
    case .noService, .noDevice, .notFound: true
    case .locked, .noAccess, .hardBlocked, .unrecognised, .timeout, .failed: false
    }
  }
}

/// What a backend says of the world.
package enum Reading: Hashable, Sendable {
  case on, off
  /// Some of several things are on.
  case mixed
  case unreadable(Problem)

  package init(_ on: Bool) {
    self = on ? .on : .off
  }

  package var state: SwitchState {
    switch self {
    case .on: .on
    case .off: .off
    case .mixed: .mixed
    case .unreadable: .unknown
    }
  }

  package var problem: Problem? {
    guard case .unreadable(let problem) = self else { return nil }
    return problem
  }

  /// On and off exchanged, for `Invert=true`.
  package var inverted: Reading {
    switch self {
    case .on: .off
    case .off: .on
    case .mixed, .unreadable: self
    }
  }
}
