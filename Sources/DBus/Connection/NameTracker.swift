// SPDX-License-Identifier: MIT

import DBusTypes

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
        // A change that came first has told it already.
        if let watch, !watch.isTold { watch.tell() }
      }
    }
    return watch
  }

  func remove(_ identifier: ObjectIdentifier, _ entry: Entry) {
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
      weak.watch?.tell()
    }
  }
}
