// SPDX-License-Identifier: MIT

import Backends
import DBus
import EventLoop
import Settings

/// Makes the backend that a row's definition asks for.
final class BackendFactory {
  private let loop: EventLoop
  private let log: Log
  private let values: StoredValues
  private let buses: Buses
  private let runner: ProgramRunner
  private let dconf: DConfNotices

  init(
    loop: EventLoop, log: Log, values: StoredValues, buses: Buses, runner: ProgramRunner
  ) {
    self.loop = loop
    self.log = log
    self.values = values
    self.buses = buses
    self.runner = runner
    dconf = DConfNotices(link: buses.link(to: .session))
  }

  /// - Parameter board: where the members of a group are.
  func backend(for definition: RowDefinition, among board: Board) -> any Backend {
    switch definition.backend.kind {
    case .stored:
      return StoredBackend(
        id: definition.id,
        defaultValue: definition.defaultValue.map { $0 != definition.backend.isInverted },
        values: values)
    case .dbus(let dbus):
      return DBusBackend(
        dbus, timeout: definition.timeout, loop: loop, link: buses.link(to: dbus.bus))
    case .airplane(let airplane):
      return AirplaneBackend(
        airplane, id: definition.id, timeout: definition.timeout, values: values, loop: loop
      ) { [unowned board] in board.rows[$0] }
    case .unit(let unit):
      return UnitBackend(
        unit, timeout: definition.timeout, loop: loop, link: buses.link(to: unit.bus))
    case .file(let file):
      return FileBackend(file, loop: loop) { [log] in log.warning("row \(definition.id): \($0)") }
    case .command(let command):
      return CommandBackend(
        command, assumption: AssumedValue(name: "\(definition.id).assumed", values: values),
        timeout: definition.timeout, runner: runner, loop: loop)
    case .gsettings(let key):
      return GSettingsBackend(key, timeout: definition.timeout, runner: runner, dconf: dconf)
    case .inhibit(let inhibitor):
      return InhibitBackend(
        inhibitor, timeout: definition.timeout, loop: loop, link: buses.link(to: .system))
    case .group(let group):
      return GroupBackend(group) { [unowned board] in board.rows[$0] }
    }
  }
}
