// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

/// The properties of one interface on a service's objects: on one object, or on all that have it.
///
/// Kept true by the service's own signals: PropertiesChanged with a value, or invalidated and then
/// asked for; objects that come and go; the service's name changing hands. Messages from one
/// service arrive in the order in which it sent them, so whatever arrives last is the newest: no
/// answer needs a number. What can't tell of its changes is read again by `refresh`.
///
/// However many ask, one reading is under way and one waits, and so for each single property: a
/// service that floods us with signals, or hangs, makes nothing grow here.
final class RemoteObjects {
  struct Key: Hashable {
    let service: BusName
    let target: DBusBackendDefinition.Target
    let interface: InterfaceName
  }

  /// What is known of an object: each property, or why that one can't be read.
  typealias Properties = [MemberName: Result<Value, Problem>]

  enum Contents {
    /// Nothing has been heard yet.
    case unread
    case problem(Problem)
    case objects([ObjectPath: Properties])
  }

  private struct Subscriber {
    let property: MemberName
    let timeout: Duration
    let changed: () -> Void
  }

  let key: Key
  let calls: CallQueue
  private(set) var contents = Contents.unread
  /// What was known when the service left, until there is other news. It stands for who may start
  /// the service: such a service leaves when it has nothing to do.
  private(set) var leftBehind: [ObjectPath: Properties]?
  /// Whether somebody owns the service's name.
  private(set) var hasOwner = false
  private var subscribers: [ObjectIdentifier: Subscriber] = [:]
  private var nameWatch: NameWatch?
  private var matches: [MatchHandle] = []
  /// The reading of everything that is under way, and the one after it.
  var reading: Inquiry?
  var nextReading: Inquiry?
  /// The same for single properties.
  var inquiries: [Place: (current: Inquiry, next: Inquiry?)] = [:]

  init(_ key: Key, calls: CallQueue) {
    self.key = key
    self.calls = calls
  }

  /// Calls `changed` whenever what is known of `property` may have become another, until
  /// `unsubscribe`.
  ///
  /// - Parameter timeout: how long a reading for the subscriber may take.
  func subscribe(
    _ subscriber: AnyObject, to property: MemberName, timeout: Duration,
    _ changed: @escaping () -> Void
  ) {
    subscribers[ObjectIdentifier(subscriber)] = Subscriber(
      property: property, timeout: timeout, changed: changed)
    if nameWatch == nil { startWatching() }
    if case .objects(let objects) = contents,
      objects.values.contains(where: { $0[property] == nil })
    {
      readAll()
    }
  }

  func unsubscribe(_ subscriber: AnyObject) {
    subscribers[ObjectIdentifier(subscriber)] = nil
    guard subscribers.isEmpty else { return }
    (nameWatch, matches, contents, leftBehind, hasOwner) = (nil, [], .unread, nil, false)
  }

  var isWatched: Bool { nameWatch != nil }

  /// How long a reading may take that nobody in particular asked for.
  var timeout: Duration {
    subscribers.values.lazy.map(\.timeout).max() ?? .seconds(10)
  }

  /// The paths that are known to have the interface.
  var paths: [ObjectPath] {
    guard case .objects(let objects) = contents else { return [] }
    return Array(objects.keys)
  }

  /// - Parameter concerned: whether the property may have become another.
  func become(
    _ contents: Contents, leaving leftBehind: [ObjectPath: Properties]? = nil,
    for concerned: (MemberName) -> Bool = { _ in true }
  ) {
    (self.contents, self.leftBehind) = (contents, leftBehind)
    for subscriber in subscribers.values where concerned(subscriber.property) {
      subscriber.changed()
    }
  }

  private func isWanted(_ property: MemberName) -> Bool {
    subscribers.values.contains { $0.property == property }
  }

  // MARK: Watching

  private func startWatching() {
    let connection = calls.connection
    let (properties, objects): (MatchRule.Path, MatchRule) =
      switch key.target {
      case .object(let path):
        // An object that comes back under its path says so through its ObjectManager, if any.
        (
          .object(path),
          MatchRule(sender: key.service, interface: .objectManager, firstArgumentPath: path)
        )
      case .implementers(_, let manager):
        (
          .namespace(manager),
          MatchRule(sender: key.service, path: .object(manager), interface: .objectManager)
        )
      }
    matches = [
      connection.addMatch(
        .propertiesChanged(of: key.interface, at: properties, sender: key.service)
      ) { [weak self] in self?.propertiesChanged($0) },
      connection.addMatch(objects) { [weak self] in self?.objectsChanged($0) },
    ]
    nameWatch = connection.watchName(key.service) { [weak self] owner in
      self?.ownerChanged(owner)
    }
  }

  private func ownerChanged(_ owner: BusName?) {
    // What the earlier owner still owes an answer to is asked of the new one.
    let left = hasOwner ? abandonInquiries() : []
    hasOwner = owner != nil
    if hasOwner {
      readAll { for completion in left { completion() } }
    } else {
      let known: [ObjectPath: Properties]? =
        if case .objects(let objects) = contents { objects } else { leftBehind }
      become(
        .problem(Problem(Missing(.services, [key.service.rawValue]))), leaving: known)
      for completion in left { completion() }
    }
  }

  private func objectsChanged(_ message: Message) {
    let interfaces = message.managedInterfaces
    let concerned: [InterfaceName] =
      switch key.target {
      case .object: [key.interface]
      case .implementers(let interface, _): [interface, key.interface]
      }
    // A service may have thousands of other objects that come and go.
    guard
      interfaces?.contains(where: { name in concerned.contains { $0.rawValue == name } }) ?? true
    else { return }
    readAll()
  }

  private func propertiesChanged(_ message: Message) {
    guard
      let path = message.path,
      let (interface, changed, invalidated) = message.changedProperties,
      interface == key.interface.rawValue
    else { return }
    // It is there after all, or has come while nobody looked.
    guard case .objects(var objects) = contents else { return readAll() }
    // An object without the interface that counts.
    guard var properties = objects[path] else { return }
    // What nobody asked for and no listing had is not kept: names cost a service nothing.
    for (name, value) in changed where properties[name] != nil || isWanted(name) {
      properties[name] = .success(value)
    }
    objects[path] = properties
    become(.objects(objects)) { changed[$0] != nil }
    for name in invalidated where isWanted(name) { refresh(name, at: path, timeout: timeout) }
  }
}
