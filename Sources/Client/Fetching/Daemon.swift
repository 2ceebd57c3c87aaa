// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import Settings
import System

/// The daemon of one bus, asked with blocking calls.
final class Daemon {
  /// What ObjectManager tells.
  struct Objects {
    var sections: [SectionSnapshot] = []
    var rows: [RowSnapshot] = []
  }

  let scope: Scope
  private let connection: Connection
  private let starting: CallOptions
  private lazy var loop = ConnectionLoop(of: connection)
  private lazy var question = PasswordQuestion(loop)
  /// How many calls the daemon lets one client have unanswered.
  private static let pendingLimit = 16

  /// Connects to the bus of `scope`. A call starts the daemon where it is not running only if
  /// `starting` says so.
  init(_ scope: Scope, starting: Bool) throws(RemoteError) {
    self.scope = scope
    // No literal, and no union with an empty set in `call`: see Togglectl.
    self.starting = CallOptions(rawValue: starting ? 0 : CallOptions.noAutoStart.rawValue)
    do throws(DBusError) {
      connection = try Connection(BusAddress(scope), within: Connection.patience)
    } catch {
      throw RemoteError(error)
    }
  }

  // MARK: - Reading

  /// The row's state alone.
  func state(_ path: ObjectPath) throws(RemoteError) -> SwitchState {
    let reply = try call("Get", of: .properties, at: path) { writer in
      writer.append(InterfaceName.row.rawValue)
      writer.append("State")
    }
    return SwitchState(word: try Self.read(reply, Value.self).asString ?? "")
  }

  /// All of the row.
  func row(_ path: ObjectPath) throws(RemoteError) -> RowSnapshot {
    RowSnapshot(scope, path, try properties(of: .row, at: path))
  }

  /// The ids of all rows.
  func ids() throws(RemoteError) -> [String] {
    let properties = try properties(of: .switches, at: .toggled)
    guard case .dictionary(_, _, let entries) = properties else { return [] }
    return entries.compactMap(\.key.asString)
  }

  /// All sections and rows.
  func objects() throws(RemoteError) -> Objects {
    let reply = try call("GetManagedObjects", of: .objectManager, at: .toggled)
    return try Self.objects(in: reply, scope)
  }

  /// What the daemon found wrong in its row files.
  func configErrors() throws(RemoteError) -> [ConfigError] {
    let reply = try call("Get", of: .properties, at: .toggled) { writer in
      writer.append(InterfaceName.manager.rawValue)
      writer.append("ConfigErrors")
    }
    guard case .array(_, let entries) = try Self.read(reply, Value.self) else { return [] }
    return entries.compactMap { entry in
      guard case .structure(let members) = entry, members.count == 3,
        let file = members[0].asString, let line = members[1].asInteger,
        let message = members[2].asString
      else { return nil }
      return ConfigError(file: file, line: Int(line), message: message)
    }
  }

  // MARK: - Acting

  // A flip ends when the daemon says so: within the row's own time-out or, where a person is asked
  // for a password, whenever that person has answered. So these calls have no time-out here.

  /// Turns a row on or off; whether that changed it.
  func setOn(
    _ on: Bool, _ path: ObjectPath, asksPassword: Bool
  ) throws(RemoteError) -> Bool {
    let reply = try flip("SetOn", path, asksPassword) { on.write(to: &$0) }
    return try Self.read(reply, Bool.self)
  }

  /// Flips a row; whether it is on now.
  @discardableResult
  func toggle(_ path: ObjectPath, asksPassword: Bool) throws(RemoteError) -> Bool {
    try Self.read(try flip("Toggle", path, asksPassword), Bool.self)
  }

  /// Takes a row back to its schedule or default; whether that changed it.
  func reset(_ path: ObjectPath, asksPassword: Bool) throws(RemoteError) -> Bool {
    try Self.read(try flip("Reset", path, asksPassword), Bool.self)
  }

  /// Has a row read again.
  func refresh(_ path: ObjectPath) throws(RemoteError) {
    _ = try flip("Refresh", path, false)
  }

  /// Has rows read again, as many at once as the daemon takes, and returns when it has answered for
  /// each: that it is read, or that it can't be.
  func refresh(_ paths: [ObjectPath]) throws(RemoteError) {
    if paths.isEmpty { return }
    var waiting = paths[...]
    var unanswered = paths.count
    try loop.run { loop throws(Errno) in
      @MainActor func callNext() {
        guard let path = waiting.popFirst() else { return }
        connection.call(
          destination: .toggled, path: path, interface: .row, member: "Refresh", options: starting
        ) { _ in
          unanswered -= 1
          if unanswered == 0 { loop.stop() } else { callNext() }
        }
      }
      for _ in 0..<Self.pendingLimit { callNext() }
    }
  }

  /// Has the row files read again.
  func reload(asksPassword: Bool) throws(RemoteError) {
    _ = try call(
      "Reload", of: .manager, at: .toggled, timeout: nil,
      options: asksPassword ? .allowInteractiveAuthorization : [])
  }

  private func flip(
    _ member: MemberName, _ path: ObjectPath, _ asksPassword: Bool,
    _ body: ((inout Writer) -> Void)? = nil
  ) throws(RemoteError) -> Message {
    // What is behind a row of the user's may itself have to ask, and gets one chance only. The
    // system's daemon is refused nothing: there the question is the daemon's own.
    let asksAtOnce = asksPassword && scope == .session
    do throws(RemoteError) {
      return try call(
        member, of: .row, at: path, timeout: nil,
        options: asksAtOnce ? .allowInteractiveAuthorization : [], body)
    } catch {
      guard error.takesPassword else { throw error }
      guard asksPassword else {
        throw error.adding("--no-ask-password rules out asking")
      }
      if asksAtOnce { throw error.adding("no program of the desktop asked") }
      return try question.ask(after: error) { completion in
        connection.call(
          destination: .toggled, path: path, interface: .row, member: member,
          options: starting.union(.allowInteractiveAuthorization), timeout: nil, body: body,
          completion: completion)
      }
    }
  }

  // MARK: - Calls

  private func properties(
    of interface: InterfaceName, at path: ObjectPath
  ) throws(RemoteError) -> Value {
    let reply = try call("GetAll", of: .properties, at: path) { $0.append(interface.rawValue) }
    return try Self.firstArgument(of: reply)
  }

  private func call(
    _ member: MemberName, of interface: InterfaceName, at path: ObjectPath,
    timeout: Duration? = .seconds(25), options: CallOptions? = nil,
    _ body: ((inout Writer) -> Void)? = nil
  ) throws(RemoteError) -> Message {
    do throws(DBusError) {
      return try connection.callAndWait(
        destination: .toggled, path: path, interface: interface, member: member,
        options: options?.union(starting) ?? starting, timeout: timeout, body: body)
    } catch {
      throw RemoteError(error)
    }
  }

  private static func read<Argument: DBusValue>(
    _ reply: Message, _ type: Argument.Type
  ) throws(RemoteError) -> Argument {
    do throws(DBusError) {
      return try reply.read(type)
    } catch {
      throw RemoteError(error)
    }
  }

  private static func firstArgument(of reply: Message) throws(RemoteError) -> Value {
    do throws(DBusError) {
      return try reply.withReader { reader throws(DBusError) in try reader.readValue() }
    } catch {
      throw RemoteError(error)
    }
  }
}

extension Daemon {
  /// The sections and rows in a reply to GetManagedObjects; objects of other kinds are passed over.
  static func objects(in reply: Message, _ scope: Scope) throws(RemoteError) -> Objects {
    guard case .dictionary(_, _, let entries) = try firstArgument(of: reply) else {
      return Objects()
    }
    var objects = Objects()
    for entry in entries {
      guard case .objectPath(let path) = entry.key else { continue }
      if let properties = entry.value[InterfaceName.row.rawValue] {
        objects.rows.append(RowSnapshot(scope, path, properties))
      } else if let properties = entry.value[InterfaceName.section.rawValue] {
        objects.sections.append(SectionSnapshot(scope, path, properties))
      }
    }
    return objects
  }
}

extension BusAddress {
  /// The bus that rows of this scope are on.
  nonisolated init(_ scope: Scope) {
    switch scope {
    case .system: self = .system
    case .session: self = .session
    }
  }
}

extension Connection {
  /// How long togglectl waits for a bus to greet: a person waits with it.
  nonisolated static let patience = Duration.seconds(5)
}

extension RemoteError {
  /// The error as the client keeps it.
  nonisolated init(_ error: DBusError) {
    self.init(name: error.name.rawValue, message: error.message)
  }
}
