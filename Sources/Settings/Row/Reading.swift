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

/// Why a backend can't be read or flipped: one of the reasons, and what to tell a person.
package struct Problem: Error, Hashable, Sendable {
  /// The word for programs.
  package let reason: Reason
  /// What to tell a person, with what the backend said; printable, whatever that was.
  package let text: String
  /// What would have to be there, where that alone is wrong and has names.
  package let missing: Missing?

  /// A problem of a reason, with its text.
  package init(_ reason: Reason, _ text: String) {
    self.init(reason, text, missing: nil)
  }

  /// That something is not there; `advice` says what to do about it.
  package init(_ missing: Missing, advice: String? = nil) {
    let text = [missing.text, advice].compactMap { $0 }.joined(separator: "; ")
    self.init(missing.reason, text, missing: missing)
  }

  private init(_ reason: Reason, _ text: String, missing: Missing?) {
    self.reason = reason
    self.text = text.printable
    self.missing = missing
  }

  /// Whether the thing itself answered, though not with a value that means on or off.
  var isReachable: Bool {
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

/// What a backend says of the world: a value, or why there is none; and more about a value, where
/// it can't be flipped as it is, or is on its way to another.
package struct Reading: Hashable, Sendable {
  /// The state that a row with this reading is in.
  package let state: SwitchState
  /// Why there is no value; or, beside a value, what is wrong with it: a radio that is off at its
  /// hard switch, a service that is off because it failed.
  package private(set) var problem: Problem?
  /// The value that what is read is on its way to by itself, or by someone else's doing.
  package private(set) var target: Bool?

  package static let on = Reading(.on)
  package static let off = Reading(.off)
  /// Some of several things are on.
  package static let mixed = Reading(.mixed)

  /// On for true, off for false.
  package init(_ on: Bool) {
    self.init(SwitchState(on))
  }

  private init(_ state: SwitchState, _ problem: Problem? = nil, target: Bool? = nil) {
    (self.state, self.problem, self.target) = (state, problem, target)
  }

  /// It could not be read, or it is neither on nor off.
  package static func unreadable(_ problem: Problem) -> Reading {
    Reading(.unknown, problem)
  }

  /// The same value, with what is wrong about it.
  package func with(_ problem: Problem?) -> Reading {
    var reading = self
    reading.problem = problem ?? self.problem
    return reading
  }

  /// The same value, on its way to another; nil for at rest.
  package func heading(to target: Bool?) -> Reading {
    var reading = self
    reading.target = target
    return reading
  }

  /// Whether the world is as `on` wishes, and stays so.
  package func settles(_ on: Bool) -> Bool {
    state == SwitchState(on) && (target ?? on) == on
  }

  /// Whether the thing itself answered. A value may be known of what is not there, such as the wish
  /// of a switch without radios.
  package var isReachable: Bool {
    guard let problem else { return state != .unknown }
    return state == .unknown ? problem.isReachable : !problem.isAbsence
  }

  /// On and off exchanged, for `Invert=true`.
  package var inverted: Reading {
    let target = target.map { !$0 }
    return switch state {
    case .on: Reading(.off, problem, target: target)
    case .off: Reading(.on, problem, target: target)
    case .mixed, .unknown: Reading(state, problem, target: target)
    }
  }
}
