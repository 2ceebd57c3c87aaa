// SPDX-License-Identifier: MIT

import Settings

// What is to be known before a row is flipped.

extension RowObject {
  /// Whether the row has this value already, and no flip is under way or waiting.
  func isSettled(_ on: Bool) -> Bool {
    row.isSettled(on)
  }

  /// What a toggle may turn it to now: of a row that has yet to be read there is no telling which.
  var toggleTargets: [Bool] {
    if definition.isLocked { return [] }
    return row.toggleTarget.map { [$0] } ?? [true, false]
  }

  /// Whether a lock leaves the row this value.
  func allows(_ on: Bool) -> Bool { row.allows(on) }

  /// Why it can't be flipped for that origin, which was allowed less than that takes by now; nil
  /// where it can.
  func denial(of origin: Origin) -> FlipError? {
    guard !polkitActions.allSatisfy({ origin.mayUse($0, of: id) }) else { return nil }
    return FlipError(
      .accessDenied,
      "row \(id) takes more than was asked for, since a moment ago; try again")
  }
}
