// SPDX-License-Identifier: MIT

// What the types that flip other rows have in common: group and airplane.

extension GroupReader {
  /// The rows that `key` lists, each once and none of them `id`, whose own row this is; nil where
  /// the key is absent or names what can't be a row.
  mutating func rows(_ key: String, otherThan id: RowID) -> [RowID]? {
    let rows = values(key, complaint: "; expected the ids of rows (\(identifierRule))") {
      RowID($0)
    }
    if !has(key) { missing(key, expected: "the ids of rows") }
    guard let rows else { return nil }
    var seen: Set<RowID> = []
    for row in rows where !seen.insert(row).inserted {
      fail(key, "\(key) lists '\(row)' twice; expected each row once")
    }
    if seen.contains(id) {
      fail(key, "\(key) lists '\(id)', the row itself; expected other rows")
    }
    return rows
  }
}

extension BackendDefinition {
  /// The key that lists the rows that this backend flips; nil for one that flips none.
  var membersKey: String? {
    switch kind {
    case .group: "Rows"
    case .airplane: "Members"
    default: nil
    }
  }

  /// The rows that this backend flips; empty for one that flips none.
  package var members: [RowID] {
    switch kind {
    case .group(let group): group.rows
    case .airplane(let airplane): airplane.members
    default: []
    }
  }

  /// The same backend with other members.
  func with(members: [RowID]) -> BackendDefinition {
    var definition = self
    switch kind {
    case .group(var group):
      group.rows = members
      definition.kind = .group(group)
    case .airplane(var airplane):
      airplane.members = members
      definition.kind = .airplane(airplane)
    default: break
    }
    return definition
  }
}
