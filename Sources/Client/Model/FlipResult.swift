// SPDX-License-Identifier: MIT

import Settings

/// What came of flipping one row.
nonisolated struct FlipResult: Hashable, Sendable {
  /// The id as typed.
  var typed: String
  /// The row afterwards, where it could be read.
  var row: RowSnapshot?
  var changed = false
  var failure: Failure?

  init(typed: String) {
    self.typed = typed
  }

  /// A line such as `night on`, with a note where nothing had to be done.
  var text: String {
    let state = row?.state ?? .unknown
    return "\(row?.id ?? typed) \(state.rawValue)\(changed ? "" : " (unchanged)")\n"
  }

  /// The result as programs read it. A row that is nowhere, or on both buses, has no bus.
  var json: JSON {
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
