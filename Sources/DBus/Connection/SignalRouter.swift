// SPDX-License-Identifier: MIT

import CDBus
import DBusTypes

/// Hands signals to those who asked for them.
///
/// The bus is told each distinct rule once, however many handlers share it. It says nothing of
/// which rule let a signal through and also lets unicast signals through unasked, so every
/// handler's own rule is checked here. Handlers are found by object and member: a thousand rules
/// for PropertiesChanged of different objects cost one look-up.
@MainActor
final class SignalRouter {
  private struct Key: Hashable {
    var path: String?
    var member: String?
  }

  private struct Subscription {
    weak var handle: MatchHandle?
    let identifier: ObjectIdentifier
  }

  private weak var connection: Connection?
  private var subscriptions: [Key: [Subscription]] = [:]
  /// How many handles each rule has that the bus was told.
  private var counts: [MatchRule: Int] = [:]

  init(connection: Connection) {
    self.connection = connection
  }

  func add(_ rule: MatchRule, _ handler: @escaping (Message) -> Void) -> MatchHandle {
    let handle = MatchHandle(rule, self, handler)
    subscriptions[key(of: rule), default: []].append(
      Subscription(handle: handle, identifier: ObjectIdentifier(handle)))
    let count = counts[rule, default: 0]
    counts[rule] = count + 1
    if count == 0 { tellBus("AddMatch", rule) }
    // After AddMatch, so that no signal of an owner known by then can be missed.
    if let sender = rule.sender, !sender.isUnique, sender != .bus {
      handle.owner = connection?.watchName(sender) { _ in }
    }
    return handle
  }

  func remove(_ identifier: ObjectIdentifier, _ rule: MatchRule) {
    let key = key(of: rule)
    subscriptions[key]?.removeAll { $0.identifier == identifier }
    if subscriptions[key]?.isEmpty == true { subscriptions[key] = nil }
    guard let count = counts[rule] else { return }
    counts[rule] = count > 1 ? count - 1 : nil
    if count == 1 { tellBus("RemoveMatch", rule) }
  }

  private func tellBus(_ member: MemberName, _ rule: MatchRule) {
    guard let connection, connection.isConnected else { return }
    connection.call(
      destination: .bus, path: .bus, interface: .bus, member: member, timeout: nil,
      body: { $0.append(rule.text) }
    ) { [weak connection] result in
      guard case .failure(let error) = result, error.name != .disconnected else { return }
      connection?.onNotice?(.matchRefused(rule, error))
    }
  }

  private func key(of rule: MatchRule) -> Key {
    if case .object(let path) = rule.path {
      return Key(path: path.rawValue, member: rule.member?.rawValue)
    }
    return Key(path: nil, member: rule.member?.rawValue)
  }

  // MARK: Routing

  func route(_ raw: OpaquePointer) {
    guard !subscriptions.isEmpty, let path = dbus_message_get_path(raw),
      let member = dbus_message_get_member(raw)
    else { return }
    let pathText = String(cString: path)
    let memberText = String(cString: member)
    var message: Message?
    for key in [
      Key(path: pathText, member: memberText), Key(path: nil, member: memberText),
      Key(path: pathText, member: nil), Key(path: nil, member: nil),
    ] {
      // A copy: a handler may add and remove subscriptions.
      for subscription in subscriptions[key] ?? [] {
        guard let handle = subscription.handle, handle.isActive,
          matches(raw, handle, path: pathText)
        else { continue }
        let shared = message ?? Message(retaining: raw)
        message = shared
        handle.handler(shared)
      }
    }
  }

  private func matches(_ raw: OpaquePointer, _ handle: MatchHandle, path: String) -> Bool {
    let rule = handle.rule
    if let interface = rule.interface {
      guard let found = dbus_message_get_interface(raw), isEqual(found, interface.rawValue) else {
        return false
      }
    }
    if case .namespace(let namespace) = rule.path {
      guard namespace.isPrefix(of: ObjectPath(alreadyChecked: path)) else { return false }
    }
    if let sender = rule.sender {
      // Until the owner of a well-known name is known nobody is taken for it.
      guard let owner = handle.owner.map(\.owner) ?? sender,
        let found = dbus_message_get_sender(raw), isEqual(found, owner.rawValue)
      else { return false }
    }
    let wanted: (type: Int32, text: String)
    if let text = rule.firstArgument {
      wanted = (CDBUS_TYPE_STRING, text)
    } else if let path = rule.firstArgumentPath {
      wanted = (CDBUS_TYPE_OBJECT_PATH, path.rawValue)
    } else {
      return true
    }
    var reader = Reader(raw)
    guard let found = try? reader.readText(wanted.type) else { return false }
    return isEqual(found, wanted.text)
  }
}
