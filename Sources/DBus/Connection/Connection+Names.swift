// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes

/// How a name is asked for. Specification: `RequestName`.
nonisolated package struct NameFlags: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Another may take the name by asking for it.
  package static let allowReplacement = NameFlags(rawValue: 1)
  /// The name is taken from an owner that allows that.
  package static let replaceExisting = NameFlags(rawValue: 2)
  /// When it is owned the request fails instead of waiting in the queue.
  package static let doNotQueue = NameFlags(rawValue: 4)
}

/// What became of a request for a name. Specification: `RequestName`.
nonisolated package enum NameReply: UInt32, Sendable {
  /// The name is the caller's now.
  case primaryOwner = 1
  /// The caller gets it when those before it have given it up.
  case inQueue = 2
  /// Another owns it, and the caller does not wait.
  case exists = 3
  /// It was the caller's already.
  case alreadyOwner = 4
}

/// Who is behind a connection, as far as the bus knows.
nonisolated package struct Credentials: Hashable, Sendable {
  /// The user; nil where the bus can't tell.
  package let userID: UInt32?
  /// The process; nil where the bus can't tell.
  package let processID: UInt32?

  fileprivate init(_ values: [String: Value]) {
    func number(_ key: String) -> UInt32? {
      values[key]?.unwrapped.asInteger.flatMap(UInt32.init(exactly:))
    }
    userID = number("UnixUserID")
    processID = number("ProcessID")
  }
}

extension Connection {
  /// Asks for a name and waits for the bus's answer.
  package func requestName(
    _ name: BusName, _ flags: NameFlags = [.doNotQueue]
  ) throws(DBusError) -> NameReply {
    let reply = try askBus("RequestName") {
      $0.append(name.rawValue)
      flags.rawValue.write(to: &$0)
    }
    let code = try reply.read(UInt32.self)
    guard let result = NameReply(rawValue: code) else {
      throw .failed("the bus answered the request for \(name) with \(code)")
    }
    return result
  }

  /// Gives a name up and waits for the bus's answer.
  package func releaseName(_ name: BusName) throws(DBusError) {
    _ = try askBus("ReleaseName") { $0.append(name.rawValue) }
  }

  /// The unique name of the owner, waiting for the bus's answer. Throws `NameHasNoOwner`.
  package func nameOwner(_ name: BusName) throws(DBusError) -> BusName {
    let owner = try askBus("GetNameOwner") { $0.append(name.rawValue) }.read(String.self)
    guard let owner = BusName(owner) else { throw .failed("the bus named an owner '\(owner)'") }
    return owner
  }

  /// The process id of a connection, waiting for the bus's answer.
  package func processID(of name: BusName) throws(DBusError) -> UInt32 {
    try askBus("GetConnectionUnixProcessID") { $0.append(name.rawValue) }.read(UInt32.self)
  }

  /// Asks who is behind a connection. Specification: `GetConnectionCredentials`.
  @discardableResult
  package func credentials(
    of name: BusName, _ completion: @escaping (Result<Credentials, DBusError>) -> Void
  ) -> PendingCall {
    call(
      destination: .bus, path: .bus, interface: .bus, member: "GetConnectionCredentials",
      body: { $0.append(name.rawValue) }
    ) { result in
      completion(result.reading([String: Value].self).map { Credentials($0) })
    }
  }

  private func askBus(
    _ member: MemberName, body: (inout Writer) -> Void
  ) throws(DBusError) -> Message {
    try withoutActuallyEscaping(body) { body throws(DBusError) in
      try callAndWait(
        destination: .bus, path: .bus, interface: .bus, member: member, body: body)
    }
  }
}

nonisolated extension Result<Message, DBusError> {
  /// The one argument of the reply; `InvalidArgs` when it has another type.
  package func reading<Argument: DBusValue>(
    _ type: Argument.Type
  ) -> Result<Argument, DBusError> {
    flatMap { message in
      do throws(DBusError) {
        return .success(try message.read(type))
      } catch {
        return .failure(error)
      }
    }
  }
}
