// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

// The names of the contract.

extension BusName {
  nonisolated static let toggled: BusName = "org.toggled"
}

extension ObjectPath {
  nonisolated static let toggled: ObjectPath = "/org/toggled"
  nonisolated static let rows: ObjectPath = "/org/toggled/rows"
  nonisolated static let sections: ObjectPath = "/org/toggled/sections"
  nonisolated static let logControl: ObjectPath = "/org/freedesktop/LogControl1"

  /// Ids are elements of a path as they stand.
  nonisolated static func row(_ id: RowID) -> ObjectPath {
    ObjectPath(alreadyChecked: "/org/toggled/rows/\(id)")
  }

  nonisolated static func section(_ id: SectionID) -> ObjectPath {
    ObjectPath(alreadyChecked: "/org/toggled/sections/\(id)")
  }
}

extension InterfaceName {
  nonisolated static let row: InterfaceName = "org.toggled.Row1"
  nonisolated static let section: InterfaceName = "org.toggled.Section1"
  nonisolated static let manager: InterfaceName = "org.toggled.Manager1"
  nonisolated static let switches: InterfaceName = "org.toggled.Switches1"
  nonisolated static let logControl: InterfaceName = "org.freedesktop.LogControl1"
}

extension RowID {
  /// The row's property in Switches1; an id is a member name as it stands.
  nonisolated var propertyName: MemberName { MemberName(alreadyChecked: rawValue) }
}
