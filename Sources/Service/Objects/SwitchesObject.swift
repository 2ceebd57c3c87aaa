// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

/// org.toggled.Switches1: one boolean property a row, for reading or flipping the whole board.
///
/// Its PropertiesChanged follows the rows' own of the same flush.
final class SwitchesObject {
  private let table = InterfaceTable<SwitchesObject>(.switches, isAnnouncedLast: true)
  private let clients: ClientRequests
  private(set) lazy var binding = table.bound(to: self)

  init(clients: ClientRequests) {
    self.clients = clients
  }

  func add(_ row: RowObject) {
    let clients = clients
    table.add(
      .readWrite(
        row.id.propertyName,
        get: { [unowned row] _ in row.facts.isOn },
        set: { [unowned row] _, on, invocation in
          clients.set(row, on, invocation) { _ in invocation.reply() }
        }))
    binding.added(row.id.propertyName)
  }

  func remove(_ id: RowID) {
    table.remove(id.propertyName)
    binding.invalidated(id.propertyName)
  }

  /// The row's value has become another.
  func changed(_ row: RowObject) {
    binding.changed(row.id.propertyName)
  }

  /// The row's value is again what the bus was told last.
  func unchanged(_ row: RowObject) {
    binding.unchanged([row.id.propertyName])
  }
}
