// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// The names of the contract that a client needs.
nonisolated enum Contract {
  static let name: BusName = "org.toggled"
  static let root: ObjectPath = "/org/toggled"
  static let rows: ObjectPath = "/org/toggled/rows"
  static let row: InterfaceName = "org.toggled.Row1"
  static let section: InterfaceName = "org.toggled.Section1"
  static let switches: InterfaceName = "org.toggled.Switches1"
  static let manager: InterfaceName = "org.toggled.Manager1"
  static let objectManager: InterfaceName = "org.freedesktop.DBus.ObjectManager"

  /// Where the row with this id is.
  static func path(of id: RowID) -> ObjectPath? {
    rows.appending(id.rawValue)
  }
}
