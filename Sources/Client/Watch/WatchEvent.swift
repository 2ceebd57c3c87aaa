// SPDX-License-Identifier: MIT

import Settings

/// One thing that `watch` tells of one row.
nonisolated struct WatchEvent: Hashable, Sendable {
  enum Kind: String, Sendable {
    /// How the row is when the watching begins.
    case snapshot
    case changed, added, removed
    /// The daemon left the bus: nobody knows the state now.
    case lost
  }

  var kind: Kind
  var row: RowSnapshot
  /// The JSON keys whose values changed, in their order.
  var changed: [String]

  init(_ kind: Kind, _ row: RowSnapshot, changed: [String]) {
    self.kind = kind
    self.row = row
    self.changed = changed
  }

  /// The event as a line of JSON, with its newline.
  func json(_ locale: Locale) -> String {
    let members =
      row.json(locale) + [
        .init("changed", .array(changed.map { .string($0) })),
        .init("event", .string(kind.rawValue)),
      ]
    return JSON.object(members).text + "\n"
  }

  /// The event as a line of words, with its newline: the id, then the state or what happened
  /// instead, then what else there is to say, as `key=value`; the bus too where the id alone does
  /// not tell the row.
  func text(_ locale: Locale, isAmbiguous: Bool) -> String {
    var words = [row.id]
    switch kind {
    case .lost, .removed: words.append(kind.rawValue)
    case .snapshot, .changed, .added: words.append(row.state.rawValue)
    }
    if kind == .added { words.append("added") }
    if isAmbiguous { words.append("bus=\(row.scope.rawValue)") }
    if !row.target.isEmpty { words.append("target=\(row.target)") }
    if kind != .lost && kind != .removed && !row.reason.isEmpty {
      words.append("reason=\(row.reason)")
    }
    if kind == .changed {
      let said: Set = ["is_on", "state", "target", "reason"]
      for member in row.json(locale) where changed.contains(member.key) {
        if !said.contains(member.key) { words.append("\(member.key)=\(member.value.text)") }
      }
    }
    return words.joined(separator: " ").printable + "\n"
  }
}
