// SPDX-License-Identifier: MIT

/// What togglectl can be asked to do, by the word that asks for it.
nonisolated enum Verb: String, CaseIterable, Sendable {
  case list, sections, show, get, on, off, toggle, reset, refresh, watch, check, reload

  /// Words that name a verb of a later version: they are known, and refused by name.
  static let announced = ["hold", "export", "apply", "menu", "ui"]

  /// The operands as the help text writes them.
  var operands: String {
    switch self {
    case .list: "[WORD...]"
    case .sections, .reload: ""
    case .show, .get, .on, .off, .toggle, .reset: "ROW..."
    case .refresh, .watch: "[ROW...]"
    case .check: "[FILE...]"
    }
  }

  /// How many operands make sense.
  var operandCount: ClosedRange<Int> {
    switch self {
    case .sections, .reload: 0...0
    case .show, .get, .on, .off, .toggle, .reset: 1...Int.max
    case .list, .refresh, .watch, .check: 0...Int.max
    }
  }

  /// Whether the verb asks the daemon to change a row, so `-v` and authorisation concern it.
  var isFlip: Bool {
    switch self {
    case .on, .off, .toggle, .reset: true
    default: false
    }
  }

  /// One line for the list of verbs.
  var summary: String {
    switch self {
    case .list: "the rows by section, or those that match every WORD (the default)"
    case .sections: "the sections"
    case .show: "all there is to know about a row"
    case .get: "on, off, mixed or unknown, a line a row"
    case .on: "turn rows on"
    case .off: "turn rows off"
    case .toggle: "flip rows"
    case .reset: "back to the schedule's value, or to the default"
    case .refresh: "read rows again; changes nothing"
    case .watch: "the present state, then a line a change, for ever"
    case .check: "look for mistakes in row files; needs no daemon"
    case .reload: "ask the daemon to read its row files again"
    }
  }
}
