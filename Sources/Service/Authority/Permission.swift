// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// What has to be allowed for a flip: one row, one value, under one action of polkit(8).
nonisolated struct Permission: Hashable, Sendable {
  /// The action's id.
  let action: String
  /// The row that would be turned.
  let row: RowID
  /// Its title, for the person who is asked: from the row's file, never from a client.
  let title: String
  /// What it would be turned to.
  let on: Bool

  /// What rules of polkit's see of it, by `action.lookup()`, and its messages by `$(…)`.
  var details: Value {
    let entries = [("row", row.rawValue), ("title", title), ("value", on ? "on" : "off")]
    return .dictionary(
      key: .string, value: .string,
      entries: entries.map { Value.Entry(.string($0.0), .string($0.1)) })
  }
}
