// SPDX-License-Identifier: MIT

import Settings

/// What came of flipping one row.
package nonisolated struct FlipResult: Hashable, Sendable {
  /// The id as typed.
  package var typed: String
  /// The row afterwards, where it could be read.
  package var row: RowSnapshot?
  package var changed = false
  package var failure: Failure?

  package init(typed: String) {
    self.typed = typed
  }

  /// A line such as `night on`, with a note where nothing had to be done.
  package var text: String {
    let state = row?.state ?? .unknown
    return "\(row?.id ?? typed) \(state.rawValue)\(changed ? "" : " (unchanged)")\n"
  }

  /// The result as programs read it. A row that is nowhere, or on both buses, has no bus.
  package var json: JSON {
    .object([
      .init("id", .string(row?.id ?? RowID(typed: typed)?.rawValue ?? typed)),
      .init("bus", .optional(row?.scope.rawValue)),
      .init("is_on", .bool(row?.isOn ?? false)),
      .init("state", .string((row?.state ?? .unknown).rawValue)),
      .init("changed", .bool(changed)),
      .init("error", failure.map(Report.json) ?? .null),
    ])
  }
}
