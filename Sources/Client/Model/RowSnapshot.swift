// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// What a daemon said of a row: the properties of `org.toggled.Row1`.
nonisolated struct RowSnapshot: Hashable, Sendable {
  /// One who holds the row.
  struct Hold: Hashable, Sendable {
    var cookie: UInt32
    var on: Bool
    var reason: String
    var applicationID: String
  }

  let scope: Scope
  let path: ObjectPath
  var id: String
  var title = LocalisedText("")
  var subtitle = LocalisedText("")
  var keywords: [String] = []
  /// The section's id.
  var section = ""
  var order: Int64 = 0
  var symbol = ""
  var onSymbol = ""
  var offSymbol = ""
  var iconColour = ""
  var iconForeground = ""
  var switchColour = ""
  var style = ""
  var backend = ""
  var isOn = false
  var state = SwitchState.unknown
  /// `on` or `off` while a flip is under way, else empty.
  var target = ""
  var isAvailable = false
  var isLocked = false
  var reason = ""
  var reasonText = ""
  var isAssumed = false
  var schedule = ""
  var isAutomatic = false
  /// When the schedule flips the row next, in microseconds since 1970; 0 for never.
  var nextChange: UInt64 = 0
  var holds: [Hold] = []

  /// A row of which nothing is known yet but where it is.
  init(_ scope: Scope, _ path: ObjectPath) {
    self.scope = scope
    self.path = path
    id = String(path.lastElement)
  }

  /// A row as an `a{sv}` of its properties tells of it.
  init(_ scope: Scope, _ path: ObjectPath, _ properties: Value) {
    self.init(scope, path)
    apply(properties)
  }

  /// Whether its daemon has only just begun to serve the row, and not read it yet.
  /// Of a locked one that can't be told, as a lock is the first of its reasons.
  var isUnread: Bool { state == .unknown && (reason.isEmpty || reason == "locked") }

  /// The row while its daemon is away: what was confirmed last, but nothing known now.
  var lost: RowSnapshot {
    var row = self
    row.state = .unknown
    row.target = ""
    return row
  }
}
