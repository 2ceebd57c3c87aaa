// SPDX-License-Identifier: MIT

package import DBusTypes

/// What is behind a row: the [Backend] group of its file.
package struct BackendDefinition: Hashable, Sendable {
  /// The types of backend that are served, with what each needs to know.
  package enum Kind: Hashable, Sendable {
    /// The daemon keeps the value itself.
    case stored
    /// Another service's property.
    case dbus(DBusBackendDefinition)
    /// Radios.
    case rfkill(RfkillBackendDefinition)
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
    /// Steps over other backends.
    case sequence(SequenceBackendDefinition)
    /// Other backends of which one serves.
    case first(FirstBackendDefinition)
  }

  /// The type and what it needs to know.
  package var kind: Kind
  /// Whether on and off are swapped: what the backend calls on is off for the row.
  package var isInverted: Bool
  /// Names on the row's bus of which one has to have an owner, or there is nothing to switch; empty
  /// where it does not take one.
  package var busNames: [BusName]
  /// The polkit action that a flip by this part of a row takes; nil for the row's.
  package var polkitAction: String?

  /// A backend of `kind`.
  package init(
    _ kind: Kind, isInverted: Bool = false, busNames: [BusName] = [], polkitAction: String? = nil
  ) {
    self.kind = kind
    self.isInverted = isInverted
    self.busNames = busNames
    self.polkitAction = polkitAction
  }

  /// Whether something can't be read back: the row is what it was last set to.
  package var isAssumed: Bool {
    switch kind {
    case .command(let command): command.state == nil
    case .sequence(let sequence): sequence.steps.contains(where: \.backend.isAssumed)
    case .first(let first): first.alternatives.contains(where: \.backend.isAssumed)
    default: false
    }
  }

  /// The type's name, as in row files and Row1's Backend.
  package var typeName: String {
    switch kind {
    case .stored: BackendType.stored.rawValue
    case .dbus: BackendType.dbus.rawValue
    case .rfkill: BackendType.rfkill.rawValue
    case .airplane: BackendType.airplane.rawValue
    case .unit: BackendType.unit.rawValue
    case .file: BackendType.file.rawValue
    case .command: BackendType.command.rawValue
    case .gsettings: BackendType.gsettings.rawValue
    case .inhibit: BackendType.inhibit.rawValue
    case .group: BackendType.group.rawValue
    case .sequence: BackendType.sequence.rawValue
    case .first: BackendType.first.rawValue
    }
  }
}

/// Every type that a row file may name.
enum BackendType: String, CaseIterable {
  case stored, dbus, rfkill, airplane, unit, file, command, gsettings, inhibit, group, sequence
  case first

  /// Those of them that another backend can be made of: not what is about other rows or keeps the
  /// row's own value, and no nesting.
  static let ofParts = allCases.filter { type in
    switch type {
    case .dbus, .rfkill, .unit, .file, .command, .gsettings, .inhibit: true
    case .stored, .airplane, .group, .sequence, .first: false
    }
  }

  /// Whether what is switched may be there without the program that heeds it, which `BusName` is
  /// for.
  var hasBusNames: Bool { self == .command || self == .gsettings }

  /// Whether the type has groups of its own, `[Backend.name]`.
  var hasParts: Bool { self == .sequence || self == .first }
}
