// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// What has to be allowed for a flip: one row, one value, under one action of polkit(8).
nonisolated struct Permission: Hashable, Sendable {
  /// The action's id.
  var action: String
  /// The row that would be turned.
  let row: RowID
  /// Its title, for the person who is asked: from the row's file, never from a client.
  let title: String
  /// What it would be turned to.
  let on: Bool
  /// The language for a person who is asked under another service's action.
  let locale: Locale

  /// What rules of polkit's see of it, by `action.lookup()`, and its messages by `$(…)`.
  var details: Value {
    var entries = [("row", row.rawValue), ("title", title), ("value", on ? "on" : "off")]
    // What that service's message says it is about is not what would be turned.
    if !PolkitAction.isOwn(action) {
      entries.append(("polkit.message", Self.question.text(for: locale)))
    }
    return .dictionary(
      key: .string, value: .string,
      entries: entries.map { Value.Entry(.string($0.0), .string($0.1)) })
  }

  /// What a person is asked, as the messages in org.toggled.policy have it.
  private static let question = LocalisedText(
    "Authentication is required to turn “$(title)” $(value)",
    translations: ["es": "Hace falta autenticarse para cambiar «$(title)» ($(value))"])
}
