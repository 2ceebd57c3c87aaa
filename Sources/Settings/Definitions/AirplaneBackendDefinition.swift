// SPDX-License-Identifier: MIT

/// One switch that turns radios off and brings back those it turned off, as `Type=airplane`
/// describes it.
package struct AirplaneBackendDefinition: Hashable, Sendable {
  /// The radios: rows of the switch's own bus; none twice, and not the row itself. Never empty.
  package var members: [RowID]

  /// A switch for `members`.
  package init(members: [RowID]) {
    self.members = members
  }
}

extension AirplaneBackendDefinition {
  static func read(_ reader: inout GroupReader, id: RowID) -> AirplaneBackendDefinition? {
    reader.rows("Members", otherThan: id).map { AirplaneBackendDefinition(members: $0) }
  }
}
