// SPDX-License-Identifier: MIT

/// What is behind a row: the [Backend] group of its file.
package struct BackendDefinition: Hashable, Sendable {
  /// The types of backend that are served, with what each needs to know.
  package enum Kind: Hashable, Sendable {
    /// The daemon keeps the value itself.
    case stored
    /// Another service's property.
    case dbus(DBusBackendDefinition)
    /// Radios, all off at once.
    case airplane(AirplaneBackendDefinition)
    /// A systemd unit.
    case unit(UnitBackendDefinition)
    /// A small file.
    case file(FileBackendDefinition)
    /// Programs.
    case command(CommandBackendDefinition)
    /// A key of GSettings.
    case gsettings(GSettingsBackendDefinition)
    /// An inhibitor of logind's.
    case inhibit(InhibitBackendDefinition)
    /// Other rows.
    case group(GroupBackendDefinition)
  }

  /// The type and what it needs to know.
  package var kind: Kind
  /// Whether on and off are swapped: what the backend calls on is off for the row.
  package var isInverted: Bool

  /// A backend of `kind`.
  package init(_ kind: Kind, isInverted: Bool = false) {
    self.kind = kind
    self.isInverted = isInverted
  }

  /// Whether nothing can be read back: the row is what it was last set to.
  package var isAssumed: Bool {
    if case .command(let command) = kind { command.state == nil } else { false }
  }

  /// The type's name, as in row files and Row1's Backend.
  package var typeName: String {
    switch kind {
    case .stored: BackendType.stored.rawValue
    case .dbus: BackendType.dbus.rawValue
    case .airplane: BackendType.airplane.rawValue
    case .unit: BackendType.unit.rawValue
    case .file: BackendType.file.rawValue
    case .command: BackendType.command.rawValue
    case .gsettings: BackendType.gsettings.rawValue
    case .inhibit: BackendType.inhibit.rawValue
    case .group: BackendType.group.rawValue
    }
  }
}

/// Every type that a row file may name.
enum BackendType: String, CaseIterable {
  case stored, dbus, rfkill, airplane, unit, file, command, gsettings, inhibit, group, sequence
  case first

  /// The types that the daemon serves.
  static let supported: [BackendType] = [
    .stored, .dbus, .airplane, .unit, .file, .command, .gsettings, .inhibit, .group,
  ]

  /// Whether the type has groups of its own, `[Backend.name]`.
  var hasSubgroups: Bool { self == .sequence || self == .first }
}
