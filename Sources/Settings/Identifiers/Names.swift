// SPDX-License-Identifier: MIT

// The names that the daemon and its clients meet by. They are the interface: once released, a name
// stays, and an interface that has to change gets the next number.

package import DBusTypes

extension BusName {
  /// The daemon's name, on the system bus and on session buses.
  package static let toggled: BusName = "org.toggled"
}

extension ObjectPath {
  /// The object of the daemon itself and of the whole board.
  package static let toggled: ObjectPath = "/org/toggled"
  /// What all rows are below.
  package static let rows: ObjectPath = "/org/toggled/rows"
  /// The log level's object: org.freedesktop.LogControl1(5).
  package static let logControl: ObjectPath = "/org/freedesktop/LogControl1"

  /// Where a row is: an id is an element of a path as it stands.
  package static func row(_ id: RowID) -> ObjectPath {
    ObjectPath(alreadyChecked: "/org/toggled/rows/\(id)")
  }

  /// Where a section is.
  package static func section(_ id: SectionID) -> ObjectPath {
    ObjectPath(alreadyChecked: "/org/toggled/sections/\(id)")
  }
}

extension InterfaceName {
  /// One row.
  package static let row: InterfaceName = "org.toggled.Row1"
  /// One section.
  package static let section: InterfaceName = "org.toggled.Section1"
  /// The daemon itself.
  package static let manager: InterfaceName = "org.toggled.Manager1"
  /// The whole board: a boolean property a row.
  package static let switches: InterfaceName = "org.toggled.Switches1"
  /// org.freedesktop.LogControl1(5).
  package static let logControl: InterfaceName = "org.freedesktop.LogControl1"
}

extension ErrorName {
  /// The backend refused or failed; its words are in the message.
  package static let backendFailed: ErrorName = "org.toggled.Error.BackendFailed"
  /// Someone holds the row at the other value.
  package static let held: ErrorName = "org.toggled.Error.Held"
  /// The administrator has fixed the row's value.
  package static let locked: ErrorName = "org.toggled.Error.Locked"
  /// A newer wish, for the other value, took this one's place.
  package static let superseded: ErrorName = "org.toggled.Error.Superseded"
  /// The flip was not confirmed within the row's Timeout.
  package static let notConfirmed: ErrorName = "org.toggled.Error.TimedOut"
  /// What is behind the row can't be reached.
  package static let unavailable: ErrorName = "org.toggled.Error.Unavailable"
}

extension RowID {
  /// The row's property in Switches1; an id is a member name as it stands.
  package var propertyName: MemberName { MemberName(alreadyChecked: rawValue) }
}
