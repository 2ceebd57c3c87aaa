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
final class RemoteObjects {
  struct Key: Hashable {
    let service: BusName
    let target: DBusBackendDefinition.Target
    let interface: InterfaceName
  }

  typealias Properties = [MemberName: Value]

  enum Contents {
    /// Nothing has been heard yet.
    case unread
    case problem(Problem)
    case objects([ObjectPath: Properties])
  }

  private struct Subscriber {
    let property: MemberName
    let changed: () -> Void
  }

  /// How long a reading that no row waits for may take.
  static let readTimeout = Duration.seconds(10)

  let key: Key
  let calls: CallQueue
  private(set) var contents = Contents.unread
  private var subscribers: [ObjectIdentifier: Subscriber] = [:]
  private var nameWatch: NameWatch?
  private var matches: [MatchHandle] = []
  private var hasOwner = false
  private var isReading = false
  private var mustReadAgain = false
  private var waiters: [() -> Void] = []

  init(_ key: Key, calls: CallQueue) {
    self.key = key
    self.calls = calls
  }

  /// Calls `changed` whenever what is known of the property may have become something else, until
  /// `unsubscribe`.
  func subscribe(
    _ subscriber: AnyObject, to property: MemberName, _ changed: @escaping () -> Void
  ) {
    subscribers[ObjectIdentifier(subscriber)] = Subscriber(property: property, changed: changed)
    if nameWatch == nil { startWatching() }
  }

  func unsubscribe(_ subscriber: AnyObject) {
    subscribers[ObjectIdentifier(subscriber)] = nil
    guard subscribers.isEmpty else { return }
    (nameWatch, matches, contents, hasOwner) = (nil, [], .unread, false)
  }

  /// The paths that are known to have the interface.
  var paths: [ObjectPath] {
    guard case .objects(let objects) = contents else { return [] }
    return Array(objects.keys)
  }

  /// - Parameter properties: those that may have changed, nil for all.
  private func become(_ contents: Contents, touching properties: Properties? = nil) {
    self.contents = contents
    for subscriber in subscribers.values {
      if let properties, properties[subscriber.property] == nil { continue }
      subscriber.changed()
    }
  }

  // MARK: Watching

  private func startWatching() {
    let connection = calls.connection
    switch key.target {
    case .object(let path):
      // An object that comes back under its path says so through its ObjectManager, if any.
      matches = [
        connection.addMatch(
          .propertiesChanged(of: key.interface, at: .object(path), sender: key.service)
        ) { [weak self] in self?.propertiesChanged($0) },
        connection.addMatch(
          MatchRule(sender: key.service, interface: .objectManager, firstArgumentPath: path)
        ) { [weak self] _ in self?.readAll() },
      ]
    case .implementers(_, let manager):
      matches = [
        connection.addMatch(
          .propertiesChanged(of: key.interface, at: .namespace(manager), sender: key.service)
        ) { [weak self] in self?.propertiesChanged($0) },
        connection.addMatch(
          MatchRule(sender: key.service, path: .object(manager), interface: .objectManager)
        ) { [weak self] _ in self?.readAll() },
      ]
    }
    nameWatch = connection.watchName(key.service) { [weak self] owner in
      self?.ownerChanged(owner)
    }
  }

  private func ownerChanged(_ owner: BusName?) {
    hasOwner = owner != nil
    if hasOwner {
      readAll()
    } else {
      become(.problem(Problem(.noService, "\(key.service) is not running")))
    }
  }

  private func propertiesChanged(_ message: Message) {
    guard
      let path = message.path,
      let (interface, changed, invalidated) = message.changedProperties,
      interface == key.interface.rawValue
    else { return }
    guard case .objects(var objects) = contents, var properties = objects[path] else {
      // It is there after all, or has come while nobody looked.
      if case .object = key.target { readAll() }
      return
    }
    for (name, value) in changed { properties[name] = value }
    objects[path] = properties
    if !changed.isEmpty { become(.objects(objects), touching: changed) }
    for name in invalidated { refresh(name, at: path, timeout: Self.readTimeout) {} }
  }

  // MARK: Reading

  /// Reads everything. `completion` runs after a reading that began after this call.
  ///
  /// - Parameter activating: whether the bus may start the service for it.
  func readAll(
    activating: Bool = false, timeout: Duration = readTimeout,
    _ completion: @escaping () -> Void = {}
  ) {
    waiters.append(completion)
    guard !isReading else {
      mustReadAgain = true
      return
    }
    isReading = true
    let waiting = waiters
    waiters = []
    calls.make(readCall(activating: activating, timeout: timeout)) { [weak self] result in
      guard let self else { return }
      isReading = false
      // Without an owner that is all there is to know, unless starting one was tried.
      if hasOwner || activating || !result.isAbsence { take(result) }
      for waiter in waiting { waiter() }
      if mustReadAgain {
        mustReadAgain = false
        readAll(activating: activating, timeout: timeout)
      }
    }
  }

  private func readCall(activating: Bool, timeout: Duration) -> CallQueue.Call {
    var call: CallQueue.Call
    switch key.target {
    case .object(let path):
      call = CallQueue.Call(
        "GetAll", of: .properties, at: path, destination: key.service, timeout: timeout)
      call.arguments = [.string(key.interface.rawValue)]
    case .implementers(_, let manager):
      call = CallQueue.Call(
        "GetManagedObjects", of: .objectManager, at: manager, destination: key.service,
        timeout: timeout)
    }
    if !activating { call.options = .noAutoStart }
    return call
  }

  private func take(_ result: Result<Message, DBusError>) {
    // Nothing is kept that nobody keeps true.
    guard !subscribers.isEmpty else { return }
    switch (result, key.target) {
    case (.failure(let error), _):
      become(.problem(Problem(error, service: key.service)))
    case (.success(let message), .object(let path)):
      guard let properties = message.allProperties else {
        return become(.problem(malformed("GetAll")))
      }
      become(.objects([path: properties]))
    case (.success(let message), .implementers(let interface, _)):
      guard let objects = message.managedObjects(with: interface, propertiesOf: key.interface)
      else { return become(.problem(malformed("GetManagedObjects"))) }
      become(.objects(objects))
    }
  }

  private func malformed(_ method: String) -> Problem {
    Problem(.failed, "\(key.service) answered \(method) with something else than properties")
  }

  /// Asks for one property again, on one object.
  func refresh(
    _ property: MemberName, at path: ObjectPath, timeout: Duration,
    _ completion: @escaping () -> Void
  ) {
    get(property, at: path, options: .noAutoStart, timeout: timeout) { [weak self] result in
      if let self { take(result, of: property, at: path) }
      completion()
    }
  }

  func get(
    _ property: MemberName, at path: ObjectPath, options: CallOptions, timeout: Duration,
    _ completion: @escaping (Result<Value, DBusError>) -> Void
  ) {
    var call = CallQueue.Call(
      "Get", of: .properties, at: path, destination: key.service, timeout: timeout)
    call.options = options
    call.arguments = [.string(key.interface.rawValue), .string(property.rawValue)]
    let service = key.service
    calls.make(call) { result in
      completion(
        result.flatMap { message in
          guard let values = try? message.values(), values.count == 1, case .variant(let value) = values[0]
          else {
            return .failure(.failed("\(service) answered Get with something else than a variant"))
          }
          return .success(value)
        })
    }
  }

  private func take(
    _ result: Result<Value, DBusError>, of property: MemberName, at path: ObjectPath
  ) {
    guard !subscribers.isEmpty, hasOwner || !result.isAbsence else { return }
    var objects: [ObjectPath: Properties] = [:]
    if case .objects(let known) = contents { objects = known }
    switch (result, key.target) {
    case (.success(let value), .object):
      objects[path, default: [:]][property] = value
      become(.objects(objects), touching: [property: value])
    case (.success(let value), .implementers):
      guard objects[path] != nil else { return }
      objects[path]?[property] = value
      become(.objects(objects), touching: [property: value])
    case (.failure(let error), .object):
      become(.problem(Problem(error, service: key.service)))
    case (.failure(let error), .implementers):
      if error.name == .unknownObject {
        objects[path] = nil
        become(.objects(objects))
      } else {
        become(.problem(Problem(error, service: key.service)))
      }
    }
  }
}

extension Result where Failure == DBusError {
  /// Whether nobody was there to answer.
  fileprivate var isAbsence: Bool {
    guard case .failure(let error) = self else { return false }
    return error.isAbsence
  }
}
