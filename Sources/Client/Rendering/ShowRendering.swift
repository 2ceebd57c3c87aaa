// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// All of a row, in words.
nonisolated struct ShowRendering {
  private let locale: Locale
  private let palette: Palette
  /// A moment in the reader's own time, from microseconds since 1970.
  private let localTime: (UInt64) -> String

  init(_ locale: Locale, _ palette: Palette, localTime: @escaping (UInt64) -> String) {
    self.locale = locale
    self.palette = palette
    self.localTime = localTime
  }

  /// A paragraph about `row`; every line ends in a newline.
  func text(_ row: RowSnapshot) -> String {
    let facts = facts(row).filter { !$0.1.isEmpty }
    let width = facts.map(\.0.utf8.count).max() ?? 0
    var text = palette.bold(row.heading(locale)) + "\n"
    for (name, value) in facts {
      text += "  \(palette.dim(name.padded(width)))  \(value.printable)\n"
    }
    return text
  }

  private func facts(_ row: RowSnapshot) -> [(String, String)] {
    [
      ("Id", row.id),
      ("Subtitle", row.subtitle.text(for: locale)),
      ("State", state(row)),
      ("Trouble", row.trouble.map { row.reason.isEmpty ? $0 : "\($0) (\(row.reason))" } ?? ""),
      ("Schedule", schedule(row)),
    ]
      + row.holds.map { ("Held", held($0)) } + [
        ("Section", row.section),
        ("Order", String(row.order)),
        ("Keywords", row.keywords.joined(separator: ", ")),
        ("Backend", row.backend),
        ("Style", row.style),
        (
          "Symbols",
          [row.symbol, row.onSymbol, row.offSymbol].filter { !$0.isEmpty }
            .joined(separator: ", ")
        ),
        ("Colours", colours(row)),
        ("Bus", row.scope.rawValue),
        ("Object", row.path.rawValue),
      ]
  }

  private func state(_ row: RowSnapshot) -> String {
    var text = row.stateWords
    // Off is also what a row has that was never read.
    if row.state == .unknown, row.isOn { text += " (last known: on)" }
    if row.isAssumed { text += " (it can't be read back; this is what was set last)" }
    return text
  }

  private func schedule(_ row: RowSnapshot) -> String {
    guard !row.schedule.isEmpty else { return "" }
    var text = row.schedule + (row.isAutomatic ? ", followed now" : ", overridden by hand")
    if row.nextChange > 0 { text += ", next change \(localTime(row.nextChange))" }
    return text
  }

  private func held(_ hold: RowSnapshot.Hold) -> String {
    let holder = hold.applicationID.isEmpty ? "" : " by \(hold.applicationID)"
    let reason = hold.reason.isEmpty ? "" : ": \(hold.reason)"
    return "\(hold.on ? "on" : "off")\(holder)\(reason)"
  }

  private func colours(_ row: RowSnapshot) -> String {
    [
      (row.iconColour, "icon"), (row.iconForeground, "on the icon"), (row.switchColour, "switch"),
    ]
    .filter { !$0.0.isEmpty }.map { "\($0.0) (\($0.1))" }.joined(separator: ", ")
  }
}
