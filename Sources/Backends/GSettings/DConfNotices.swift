// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

/// dconf's signals, which tell that keys have changed, shared by every row of a session.
///
/// A change is told by the key's path, which only the schema knows: without one given, a key is
/// known by its own name. One that is asked for too often is only read, and says the same.
package final class DConfNotices {
  enum Change {
    case value, writability
  }

  /// Held as long as changes are to be told.
  final class Subscription {
    fileprivate let key: String
    fileprivate let path: String?
    fileprivate let changed: (Change) -> Void

    fileprivate init(_ key: String, _ path: String?, _ changed: @escaping (Change) -> Void) {
      self.key = key
      self.path = path
      self.changed = changed
    }

    /// - Parameter place: the path of a key, or, with a `/` at its end, of all keys below it.
    fileprivate func concerns(_ place: String) -> Bool {
      guard let path else { return place.hasSuffix("/") || place.hasSuffix("/\(key)") }
      let own = path + key
      return place.hasSuffix("/") ? own.hasPrefix(place) : own == place
    }
  }

  private struct WeakSubscription {
    weak var subscription: Subscription?
  }

  private let link: BusLink
  private var isFollowing = false
  private var subscriptions: [WeakSubscription] = []
  private var matches: [MatchHandle] = []

  private static let writer: InterfaceName = "ca.desrt.dconf.Writer"

  /// - Parameter link: the way to the session bus.
  package init(link: BusLink) {
    self.link = link
  }

  /// Calls `changed` when the key, or whether it may be written, may have become another.
  func subscribe(
    to key: String, path: String?, _ changed: @escaping (Change) -> Void
  ) -> Subscription {
    let subscription = Subscription(key, path, changed)
    subscriptions.removeAll { $0.subscription == nil }
    subscriptions.append(WeakSubscription(subscription: subscription))
    if !isFollowing { startWatching() }
    return subscription
  }

  private func startWatching() {
    isFollowing = true
    link.follow(self) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let bus): matches = matches(on: bus)
      case .failure: matches = []
      }
    }
  }

  private func matches(on bus: RemoteBus) -> [MatchHandle] {
    let members: [MemberName] = ["Notify", "WritabilityNotify"]
    return members.map { member in
      let rule = MatchRule(sender: "ca.desrt.dconf", interface: Self.writer, member: member)
      return bus.calls.connection.addMatch(rule) { [weak self] in self?.take($0) }
    }
  }

  /// `Notify(s prefix, as changes, s tag)`, each change being what follows the prefix; or
  /// `WritabilityNotify(s path)`.
  private func take(_ message: Message) {
    guard let values = try? message.values(), let prefix = values.first?.asString else { return }
    if values.count > 1, case .array(of: .string, let changes) = values[1] {
      tell(.value, at: changes.compactMap(\.asString).map { prefix + $0 })
    } else {
      tell(.writability, at: [prefix])
    }
  }

  private func tell(_ change: Change, at places: [String]) {
    for subscription in subscriptions.compactMap(\.subscription)
    where places.contains(where: subscription.concerns) {
      subscription.changed(change)
    }
  }
}
