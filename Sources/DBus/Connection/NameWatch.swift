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

  fileprivate let entry: NameTracker.Entry
  private weak var tracker: NameTracker?
  fileprivate var handler: ((BusName?) -> Void)?

  fileprivate init(
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

  /// Ends it: the handler is not called again.
  package func cancel() {
    handler = nil
    tracker?.remove(ObjectIdentifier(self), entry)
    tracker = nil
  }
}

/// Knows the owners of the names that someone follows: one match rule and one question a name.
@MainActor
final class NameTracker {
  /// What is known of one name.
  @MainActor
  final class Entry {
    let name: BusName
    var owner: BusName?
    var isKnown = false
    var match: MatchHandle?
    var question: PendingCall?
    var watches: [(identifier: ObjectIdentifier, watch: Weak)] = []

    init(_ name: BusName) {
      self.name = name
    }
  }

  struct Weak {
    weak var watch: NameWatch?
  }

  private weak var connection: Connection?
  private var entries: [BusName: Entry] = [:]

  init(connection: Connection) {
    self.connection = connection
  }

  func watch(_ name: BusName, _ handler: @escaping (BusName?) -> Void) -> NameWatch {
    let entry = entries[name] ?? start(name)
    let watch = NameWatch(entry, self, handler)
    entry.watches.append((ObjectIdentifier(watch), Weak(watch: watch)))
    if entry.isKnown {
      // Later, as the first answer always is; with what is known by then.
      connection?.later { [weak watch] in
        guard let watch else { return }
        watch.handler?(watch.owner)
      }
    }
    return watch
  }

  fileprivate func remove(_ identifier: ObjectIdentifier, _ entry: Entry) {
    entry.watches.removeAll { $0.identifier == identifier }
    guard entry.watches.isEmpty else { return }
    entry.match = nil
    entry.question?.cancel()
    if entries[entry.name] === entry { entries[entry.name] = nil }
  }

  private func start(_ name: BusName) -> Entry {
    let entry = Entry(name)
    entries[name] = entry
    // The rule first: a change after the question's answer is then never missed.
    entry.match = connection?.addMatch(
      MatchRule(
        sender: .bus, path: .object(.bus), interface: .bus, member: "NameOwnerChanged",
        firstArgument: name.rawValue)
    ) { [weak self, weak entry] message in
      guard let self, let entry,
        let (_, _, owner) = try? message.read(String.self, String.self, String.self)
      else { return }
      learn(entry, BusName(owner))
    }
    entry.question = connection?.call(
      destination: .bus, path: .bus, interface: .bus, member: "GetNameOwner", timeout: nil,
      body: { $0.append(name.rawValue) }
    ) { [weak self, weak entry] result in
      guard let self, let entry else { return }
      entry.question = nil
      // NameHasNoOwner is an answer; a lost connection leaves nobody to be reached either.
      let owner = (try? result.get()).flatMap { try? $0.read(String.self) }
      learn(entry, owner.flatMap { BusName($0) })
    }
    return entry
  }

  private func learn(_ entry: Entry, _ owner: BusName?) {
    guard !entry.isKnown || entry.owner != owner else { return }
    entry.owner = owner
    entry.isKnown = true
    for (_, weak) in entry.watches {
      guard let watch = weak.watch else { continue }
      watch.handler?(owner)
    }
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
