// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import TestSupport

/// A bus of its own with a service and a client on it, both in one loop.
@MainActor
final class Fixture {
  let bus: PrivateBus
  let loop: EventLoop
  let service: Connection
  let client: Connection

  init(_ kind: PrivateBus.Kind = .session) throws {
    bus = try PrivateBus(kind)
    loop = try EventLoop()
    service = try Connection(.address(bus.address))
    client = try Connection(.address(bus.address))
    try service.attach(to: loop)
    try client.attach(to: loop)
  }

  /// Turns the loop until the condition holds; fails at the deadline.
  func wait(for what: String, until condition: () -> Bool) throws {
    let deadline = EventLoop.now + patience
    while !condition() {
      guard EventLoop.now < deadline else { throw TestFailure("never came: \(what)") }
      try loop.turn(atMost: .seconds(1))
    }
  }

  /// Turns the loop until everything that either side has sent so far has been delivered: the bus
  /// answers in order.
  func settle() throws {
    for connection in [service, client, service] {
      _ = try call(on: connection, to: .bus, at: .bus, of: .bus, "GetId")
    }
  }

  /// Calls and turns the loop until the call has ended.
  func call(
    on connection: Connection? = nil, to destination: BusName? = nil, at path: ObjectPath,
    of interface: InterfaceName?, _ member: MemberName, options: CallOptions = [],
    timeout: Duration? = patience, body: ((inout Writer) -> Void)? = nil
  ) throws -> CallResult {
    var result: CallResult?
    (connection ?? client).call(
      destination: destination ?? service.uniqueName, path: path, interface: interface,
      member: member, options: options, timeout: timeout, body: body
    ) { result = $0 }
    try wait(for: "an answer to \(member)") { result != nil }
    guard let result else { throw TestFailure("no answer to \(member)") }
    return result
  }

  /// Asks the service for a property.
  func get(_ property: String, of interface: String, at path: ObjectPath) throws -> CallResult {
    try call(at: path, of: .properties, "Get") {
      $0.append(interface)
      $0.append(property)
    }
  }

  /// Writes a property of the service.
  func set(
    _ property: String, of interface: String, at path: ObjectPath, to value: Value
  ) throws -> CallResult {
    try call(at: path, of: .properties, "Set") {
      $0.append(interface)
      $0.append(property)
      $0.appendVariant(value)
    }
  }

  /// Records, in order, every signal of the service that the client sees.
  func record() throws -> Recorder {
    let recorder = Recorder(client, service.uniqueName)
    try settle()
    return recorder
  }
}

/// The signals that came, as text: member, path, arguments.
@MainActor
final class Recorder {
  private(set) var lines: [String] = []
  private var handle: MatchHandle?

  init(_ connection: Connection, _ sender: BusName) {
    handle = connection.addMatch(MatchRule(sender: sender)) { [unowned self] message in
      add(message)
    }
  }

  func add(_ message: Message) {
    let values = (try? message.values())?.map(\.text) ?? ["unreadable"]
    let member = message.member?.rawValue ?? ""
    let path = message.path?.rawValue ?? ""
    lines.append("\(member) \(path) \(values.joined(separator: " "))")
  }

  /// A line that says where the next ones belong.
  func note(_ line: String) {
    lines.append(line)
  }

  func clear() {
    lines = []
  }
}

extension Result<Message, DBusError> {
  /// The name of the error; nil for a reply.
  var errorName: ErrorName? {
    if case .failure(let error) = self { error.name } else { nil }
  }

  /// The arguments of the reply as text; the error's name otherwise.
  var text: String {
    switch self {
    case .success(let message):
      ((try? message.values())?.map(\.text) ?? ["unreadable"]).joined(separator: " ")
    case .failure(let error):
      "\(error)"
    }
  }
}
