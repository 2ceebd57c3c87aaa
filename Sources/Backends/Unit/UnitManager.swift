// SPDX-License-Identifier: MIT

import DBus
import DBusTypes

/// systemd on one bus, as all `unit` backends there see it.
///
/// It sends signals only once somebody has called Subscribe (org.freedesktop.systemd1(5)), and may
/// forget that when it starts anew: so it is called again whenever the name has another owner, as
/// after `systemctl daemon-reexec`, and after each reload.
final class UnitManager {
  /// What may have become of every unit.
  enum Event {
    /// systemd is on the bus, and anything may be different from before.
    case present
    /// systemd is not, or no longer, on the bus.
    case absent
    /// Units were enabled, disabled, masked or linked.
    case filesChanged
  }

  let calls: CallQueue
  private var subscribers: [ObjectIdentifier: (Event) -> Void] = [:]
  private var nameWatch: NameWatch?
  private var matches: [MatchHandle] = []

  init(calls: CallQueue) {
    self.calls = calls
  }

  /// Calls `handler` with what happens, until `unsubscribe`; at once with whether systemd is there
  /// where that is known.
  func subscribe(_ subscriber: AnyObject, _ handler: @escaping (Event) -> Void) {
    subscribers[ObjectIdentifier(subscriber)] = handler
    guard let nameWatch else { return startWatching() }
    if nameWatch.isKnown { handler(nameWatch.owner == nil ? .absent : .present) }
  }

  func unsubscribe(_ subscriber: AnyObject) {
    subscribers[ObjectIdentifier(subscriber)] = nil
    guard subscribers.isEmpty, let nameWatch else { return }
    if nameWatch.owner != nil { calls.make(call("Unsubscribe")) { _ in } }
    (self.nameWatch, matches) = (nil, [])
  }

  private func tell(_ event: Event) {
    // One of them may end another's subscription.
    for subscriber in Array(subscribers.keys) { subscribers[subscriber]?(event) }
  }

  private func startWatching() {
    let connection = calls.connection
    matches = [
      connection.addMatch(.manager("Reloading")) { [weak self] message in
        // It says true when it begins; what is asked then waits for the end.
        if let isUnderWay = try? message.read(Bool.self), !isUnderWay { self?.greet() }
      },
      connection.addMatch(.manager("UnitFilesChanged")) { [weak self] _ in
        self?.tell(.filesChanged)
      },
    ]
    nameWatch = connection.watchName(.systemd) { [weak self] owner in
      if owner == nil { self?.tell(.absent) } else { self?.greet() }
    }
  }

  private func greet() {
    // Only refused to those who are subscribed already.
    calls.make(call("Subscribe")) { _ in }
    tell(.present)
  }

  /// A call of the manager. Nothing that is asked of systemd is to start it.
  func call(
    _ member: MemberName, _ arguments: [Value] = [], options: CallOptions = [],
    timeout: Duration = .seconds(25)
  ) -> CallQueue.Call {
    var call = CallQueue.Call(
      member, of: .systemdManager, at: .systemd, destination: .systemd, timeout: timeout)
    call.arguments = arguments
    call.options = options.union(.noAutoStart)
    return call
  }
}

extension MatchRule {
  /// A signal of the manager, of those about one unit where it is given.
  nonisolated static func manager(_ member: MemberName, unit: String? = nil) -> MatchRule {
    MatchRule(
      sender: .systemd, path: .object(.systemd), interface: .systemdManager, member: member,
      firstArgument: unit)
  }
}

extension BusName {
  nonisolated static let systemd: BusName = "org.freedesktop.systemd1"
}

extension ObjectPath {
  nonisolated static let systemd: ObjectPath = "/org/freedesktop/systemd1"
}

extension InterfaceName {
  nonisolated static let systemdManager: InterfaceName = "org.freedesktop.systemd1.Manager"
  nonisolated static let systemdUnit: InterfaceName = "org.freedesktop.systemd1.Unit"
  nonisolated static let systemdJob: InterfaceName = "org.freedesktop.systemd1.Job"
}
