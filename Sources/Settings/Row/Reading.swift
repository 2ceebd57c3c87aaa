// SPDX-License-Identifier: MIT

/// What a row shows as its `State`.
package enum SwitchState: String, Hashable, Sendable {
  case on, off, mixed
  /// Not read yet, or it can't be read now.
  case unknown

  /// On for true, off for false.
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
  /// The word for programs.
  package let reason: Reason
  /// What to tell a person, with what the backend said.
  package let text: String

  /// A problem of a reason, with its text.
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
  /// It could not be read, or it is neither on nor off.
  case unreadable(Problem)

  /// On for true, off for false.
  package init(_ on: Bool) {
    self = on ? .on : .off
  }

  /// The state that a row with this reading is in.
  package var state: SwitchState {
    switch self {
    case .on: .on
    case .off: .off
    case .mixed: .mixed
    case .unreadable: .unknown
    }
  }

  /// Why there is no value; nil where there is one.
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
