// SPDX-License-Identifier: MIT

package import DBusTypes

/// Follows who owns a bus name, until it goes or is cancelled. Never activates anything.
@MainActor
package final class NameWatch {
  /// The name that is followed.
  package let name: BusName
  /// The owner's unique name; nil when there is none, or before the bus has answered.
  package var owner: BusName? { entry.owner }
  /// Whether the bus has said who owns it.
  package var isKnown: Bool { entry.isKnown }

  private let entry: NameTracker.Entry
  private weak var tracker: NameTracker?
  private var handler: ((BusName?) -> Void)?
  /// Whether the handler has been told anything yet.
  private(set) var isTold = false

  init(
    _ entry: NameTracker.Entry, _ tracker: NameTracker, _ handler: @escaping (BusName?) -> Void
  ) {
    name = entry.name
    self.entry = entry
    self.tracker = tracker
    self.handler = handler
  }

  isolated deinit {
    tracker?.remove(ObjectIdentifier(self), entry)
  }

  /// Tells the handler the owner as it is now.
  func tell() {
    isTold = true
    handler?(owner)
  }

  /// Ends it: the handler is not called again.
  package func cancel() {
    handler = nil
    tracker?.remove(ObjectIdentifier(self), entry)
    tracker = nil
  }
}

extension Connection {
  /// Calls `handler` with the owner of `name`, first as it is and then at each change.
  package func watchName(
    _ name: BusName, _ handler: @escaping (BusName?) -> Void
  ) -> NameWatch {
    names.watch(name, handler)
  }
}
