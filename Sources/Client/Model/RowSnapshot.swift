// SPDX-License-Identifier: MIT

package import DBusTypes
package import Settings

/// What a daemon said of a row: the properties of `org.toggled.Row1`.
package nonisolated struct RowSnapshot: Hashable, Sendable {
  /// One who holds the row.
  package struct Hold: Hashable, Sendable {
    package var cookie: UInt32
    package var on: Bool
    package var reason: String
    package var applicationID: String
  }

  package let scope: Scope
  package let path: ObjectPath
  package var id: String
  package var title = LocalisedText("")
  package var subtitle = LocalisedText("")
  package var keywords: [String] = []
  /// The section's id.
  package var section = ""
  package var order: Int64 = 0
  package var symbol = ""
  package var onSymbol = ""
  package var offSymbol = ""
  package var iconColour = ""
  package var iconForeground = ""
  package var switchColour = ""
  package var style = ""
  package var backend = ""
  package var isOn = false
  package var state = SwitchState.unknown
  /// `on` or `off` while a flip is under way, else empty.
  package var target = ""
  package var isAvailable = false
  package var isLocked = false
  package var reason = ""
  package var reasonText = ""
  package var isAssumed = false
  package var schedule = ""
  package var isAutomatic = false
  /// When the schedule flips the row next, in microseconds since 1970; 0 for never.
  package var nextChange: UInt64 = 0
  package var holds: [Hold] = []

  /// A row of which nothing is known yet but where it is.
  package init(_ scope: Scope, _ path: ObjectPath) {
    self.scope = scope
    self.path = path
    id = String(path.lastElement)
  }

  /// A row as an `a{sv}` of its properties tells of it.
  package init(_ scope: Scope, _ path: ObjectPath, _ properties: Value) {
    self.init(scope, path)
    apply(properties)
  }

  /// The row while its daemon is away: what was confirmed last, but nothing known now.
  package var lost: RowSnapshot {
    var row = self
    row.state = .unknown
    row.target = ""
    return row
  }
}
