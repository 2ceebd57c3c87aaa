// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

extension RowSnapshot {
  /// The members of a row, in their order; keys are only ever added to.
  nonisolated func json(_ locale: Locale) -> [JSON.Member] {
    [
      .init("id", .string(id)),
      .init("bus", .string(scope.rawValue)),
      .init("path", .string(path.rawValue)),
      .init("section", .string(section)),
      .init("title", .string(title.text(for: locale))),
      .init("subtitle", .string(subtitle.text(for: locale))),
      .init("keywords", .array(keywords.map { .string($0) })),
      .init("order", .int(order)),
      .init("symbol", .string(symbol)),
      .init("on_symbol", .string(onSymbol)),
      .init("off_symbol", .string(offSymbol)),
      .init("icon_color", .string(iconColour)),
      .init("icon_foreground", .string(iconForeground)),
      .init("switch_color", .string(switchColour)),
      .init("style", .string(style)),
      .init("backend", .string(backend)),
      .init("is_on", .bool(isOn)),
      .init("state", .string(state.rawValue)),
      .init("target", .string(target)),
      .init("available", .bool(isAvailable)),
      .init("locked", .bool(isLocked)),
      .init("reason", .optional(reason.isEmpty ? nil : reason)),
      .init("reason_text", .string(reasonText)),
      .init("assumed", .bool(isAssumed)),
      .init("schedule", .string(schedule)),
      .init("automatic", .bool(isAutomatic)),
      .init(
        "next_change",
        .optional(nextChange == 0 ? nil : Timestamp.rfc3339(microseconds: nextChange))),
      .init("holds", .array(holds.map(\.json))),
    ]
  }
}

extension RowSnapshot {
  /// The members of an answer of `get`.
  nonisolated var stateJSON: [JSON.Member] {
    [
      .init("id", .string(id)), .init("bus", .string(scope.rawValue)), .init("is_on", .bool(isOn)),
      .init("state", .string(state.rawValue)),
    ]
  }
}

extension RowSnapshot.Hold {
  fileprivate nonisolated var json: JSON {
    .object([
      .init("cookie", .int(Int64(cookie))),
      .init("on", .bool(on)),
      .init("reason", .string(reason)),
      .init("application_id", .string(applicationID)),
    ])
  }
}
