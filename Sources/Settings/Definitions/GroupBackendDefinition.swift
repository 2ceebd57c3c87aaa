// SPDX-License-Identifier: MIT

/// One switch for several rows, as `Type=group` describes it.
package struct GroupBackendDefinition: Hashable, Sendable {
  /// The rows, of the group's own bus; none twice, and not the group itself. Never empty.
  package var rows: [RowID]
  /// Whether turning a member on turns the others off.
  package var isExclusive: Bool

  /// A group of `rows`.
  package init(rows: [RowID], isExclusive: Bool = false) {
    self.rows = rows
    self.isExclusive = isExclusive
  }
}

extension GroupBackendDefinition {
  static func read(_ reader: inout GroupReader, id: RowID) -> GroupBackendDefinition? {
    let rows = reader.values("Rows", complaint: "; expected the ids of rows (\(identifierRule))") {
      RowID($0)
    }
    let isExclusive = reader.flag("Exclusive") ?? false
    if !reader.has("Rows") { reader.missing("Rows", expected: "the ids of rows") }
    guard let rows else { return nil }
    var seen: Set<RowID> = []
    for row in rows where !seen.insert(row).inserted {
      reader.fail("Rows", "Rows lists '\(row)' twice; expected each row once")
    }
    if seen.contains(id) {
      reader.fail("Rows", "Rows lists '\(id)', the group itself; expected other rows")
    }
    return GroupBackendDefinition(rows: rows, isExclusive: isExclusive)
  }
}
