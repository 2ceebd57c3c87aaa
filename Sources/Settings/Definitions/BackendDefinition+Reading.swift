// SPDX-License-Identifier: MIT

import DBusTypes

extension BackendDefinition {
  /// Reads the [Backend] group of a row on `scope`'s bus; nil where anything is wrong with it.
  ///
  /// - Parameter isPart: whether it is a [Backend.name] group of another backend.
  static func read(
    _ reader: inout GroupReader, id: RowID, scope: Scope, isPart: Bool = false
  ) -> BackendDefinition? {
    let types = isPart ? BackendType.ofParts : BackendType.allCases
    let expected = listed(types.map(\.rawValue))
    let type = reader.value("Type", expected: expected) { BackendType(rawValue: $0) }
    guard let type else {
      if !reader.has("Type") {
        reader.missing("Type", expected: expected)
        reader.finishEarly()
      }
      return nil
    }
    guard types.contains(type) else {
      reader.fail(
        "Type", "Type=\(type.rawValue) can't be part of another backend; expected \(expected)")
      return nil
    }
    return read(&reader, type: type, id: id, scope: scope, isPart: isPart)
  }

  /// Reads the keys of `type`.
  static func read(
    _ reader: inout GroupReader, type: BackendType, id: RowID, scope: Scope, isPart: Bool
  ) -> BackendDefinition? {
    let kind: Kind?
    switch type {
    case .stored: kind = .stored
    case .dbus: kind = DBusBackendDefinition.read(&reader, scope: scope).map { .dbus($0) }
    case .rfkill: kind = RfkillBackendDefinition.read(&reader).map { .rfkill($0) }
    case .airplane: kind = AirplaneBackendDefinition.read(&reader, id: id).map { .airplane($0) }
    case .unit: kind = UnitBackendDefinition.read(&reader, scope: scope).map { .unit($0) }
    case .file: kind = FileBackendDefinition.read(&reader).map { .file($0) }
    case .command: kind = CommandBackendDefinition.read(&reader).map { .command($0) }
    case .gsettings:
      kind = GSettingsBackendDefinition.read(&reader, scope: scope).map { .gsettings($0) }
    case .inhibit: kind = InhibitBackendDefinition.read(&reader, id: id).map { .inhibit($0) }
    case .group: kind = GroupBackendDefinition.read(&reader, id: id).map { .group($0) }
    case .sequence:
      kind = SequenceBackendDefinition.read(&reader, id: id, scope: scope).map { .sequence($0) }
    case .first:
      kind = FirstBackendDefinition.read(&reader, id: id, scope: scope).map { .first($0) }
    }
    let isInverted = reader.flag("Invert") ?? false
    let names = type.hasBusNames ? reader.busNames() : []
    let action = isPart ? reader.polkitAction(scope) : nil
    reader.finish("Type=\(type.rawValue)")
    return kind.map {
      BackendDefinition($0, isInverted: isInverted, busNames: names, polkitAction: action)
    }
  }
}

extension GroupReader {
  /// Reads BusName, a list of well-known names.
  fileprivate mutating func busNames() -> [BusName] {
    values("BusName", complaint: "; expected well-known bus names such as org.gnome.Shell") {
      BusName($0).flatMap { $0.isUnique ? nil : $0 }
    } ?? []
  }
}
