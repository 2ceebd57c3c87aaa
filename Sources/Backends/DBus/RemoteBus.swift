// SPDX-License-Identifier: MIT

package import DBus
import DBusTypes
import Settings

/// One bus as backends see it: what they read there is shared among them.
package final class RemoteBus {
  /// What all calls there wait in.
  package let calls: CallQueue
  private var objects: [RemoteObjects.Key: WeakObjects] = [:]

  private weak var existingUnitManager: UnitManager?

  private struct WeakObjects {
    weak var objects: RemoteObjects?
  }

  /// The bus behind a connection.
  package init(_ connection: Connection) {
    calls = CallQueue(connection)
  }

  /// The objects of this key, shared by everyone who asks while someone holds them: one match and
  /// one GetAll for all the rows of a service, a path and an interface.
  func objects(_ key: RemoteObjects.Key) -> RemoteObjects {
    if let existing = objects[key]?.objects { return existing }
    objects = objects.filter { $0.value.objects != nil }
    let created = RemoteObjects(key, calls: calls)
    objects[key] = WeakObjects(objects: created)
    return created
  }

  /// systemd there, shared likewise.
  var unitManager: UnitManager {
    if let existingUnitManager { return existingUnitManager }
    let created = UnitManager(calls: calls)
    existingUnitManager = created
    return created
  }
}
