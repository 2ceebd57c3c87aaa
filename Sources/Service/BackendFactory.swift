// SPDX-License-Identifier: MIT

import Backends
import DBus
import EventLoop
import Settings

/// Makes the backend that a row's definition asks for.
final class BackendFactory {
  private let loop: EventLoop
  private let log: Log
  private let owners: Set<UInt32>?
  private let values: StoredValues
  private let buses: Buses
  private let runner: ProgramRunner
  private let dconf: DConfNotices
  private let radios: RfkillDevice

  /// - Parameter owners: whose files rows may be of; nil for anyone's.
  init(
    loop: EventLoop, log: Log, owners: Set<UInt32>?, values: StoredValues, buses: Buses,
    runner: ProgramRunner,
    radios: RfkillDevice
  ) {
    self.loop = loop
    self.log = log
    self.owners = owners
    self.values = values
    self.buses = buses
    self.runner = runner
    self.radios = radios
    dconf = DConfNotices(link: buses.link(to: .session))
  }

  /// - Parameter board: where the members of a group are.
  func backend(for row: RowDefinition, among board: Board) -> any Backend {
    backend(row.backend, of: row, called: row.id.rawValue, among: board)
  }

  /// The backend of a row, or of a part of it.
  ///
  /// - Parameter name: the row's id, with the part's name after a dot.
  private func backend(
    _ definition: BackendDefinition, of row: RowDefinition, called name: String,
    among board: Board
  ) -> any Backend {
    if definition.busNames.isEmpty {
      return unconditional(definition, of: row, called: name, among: board)
    }
    return BusNameBackend(definition.busNames, link: buses.link(to: row.scope)) {
      [unowned self, unowned board] in
      unconditional(definition, of: row, called: name, among: board)
    }
  }

  /// The same, whoever is on the bus.
  private func unconditional(
    _ definition: BackendDefinition, of row: RowDefinition, called name: String,
    among board: Board
  ) -> any Backend {
    func parts(_ definitions: [PartDefinition]) -> [Part] {
      definitions.map { part in
        let name = "\(name).\(part.name)"
        return Part(part) { [unowned self, unowned board] in
          backend(part.backend, of: row, called: name, among: board)
        }
      }
    }
    // A little less than the row's own, so that what is late is named before the row gives up.
    let timeout = row.timeout * 0.95
    switch definition.kind {
    case .stored:
      return StoredBackend(
        id: row.id, defaultValue: row.defaultValue.map { $0 != definition.isInverted },
        values: values)
    case .dbus(let dbus):
      return DBusBackend(dbus, timeout: timeout, loop: loop, link: buses.link(to: dbus.bus))
    case .rfkill(let rfkill):
      return RfkillBackend(rfkill, timeout: timeout, device: radios, loop: loop)
    case .airplane(let airplane):
      return AirplaneBackend(
        airplane, id: row.id, timeout: timeout, values: values, loop: loop
      ) { [unowned board] in board.rows[$0] }
    case .unit(let unit):
      return UnitBackend(unit, timeout: timeout, loop: loop, link: buses.link(to: unit.bus))
    case .file(let file):
      return FileBackend(file, owners: owners, loop: loop) { [log] in
        log.warning("row \(name): \($0)")
      }
    case .command(let command):
      return CommandBackend(
        command, of: name, assumption: AssumedValue(name: "\(name).assumed", values: values),
        timeout: timeout, runner: runner, loop: loop)
    case .gsettings(let key):
      return GSettingsBackend(
        key, of: name, timeout: timeout, runner: runner, dconf: dconf)
    case .inhibit(let inhibitor):
      return InhibitBackend(
        inhibitor, timeout: timeout, loop: loop, link: buses.link(to: .system))
    case .group(let group):
      return GroupBackend(group) { [unowned board] in board.rows[$0] }
    case .sequence(let sequence):
      return SequenceBackend(
        sequence, parts(sequence.steps), timeout: row.timeout, loop: loop)
    case .first(let first):
      return FirstBackend(
        parts(first.alternatives), prefersOn: first.prefersOn, timeout: timeout)
    }
  }
}
