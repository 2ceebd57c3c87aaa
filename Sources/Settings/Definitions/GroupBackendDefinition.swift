// SPDX-License-Identifier: MIT

/// One switch for several rows, as `Type=group` describes it.
package struct GroupBackendDefinition: Hashable, Sendable {
  /// The rows, of the group's own bus; none twice, and not the row itself. Never empty.
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
    let rows = reader.rows("Rows", otherThan: id)
    let isExclusive = reader.flag("Exclusive") ?? false
    return rows.map { GroupBackendDefinition(rows: $0, isExclusive: isExclusive) }
  }
}
