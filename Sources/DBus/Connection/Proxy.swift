// SPDX-License-Identifier: MIT

package import DBusTypes

/// Another program's object, seen through one interface. Holds no state of it.
@MainActor
package struct Proxy {
  /// The connection that the object is reached through.
  package let connection: Connection
  /// Who has the object, by a unique or a well-known name.
  package let destination: BusName
  /// Where the object is.
  package let path: ObjectPath
  /// Which interface is meant.
  package let interface: InterfaceName

  /// Names an object; nothing is sent.
  package init(
    _ connection: Connection, destination: BusName, path: ObjectPath, interface: InterfaceName
  ) {
    self.connection = connection
    self.destination = destination
    self.path = path
    self.interface = interface
  }

  /// Calls a method of the interface.
  @discardableResult
  package func call(
    _ member: MemberName, options: CallOptions = [], timeout: Duration? = .seconds(25),
    body: ((inout Writer) -> Void)? = nil,
    completion: @escaping (CallResult) -> Void
  ) -> PendingCall {
    connection.call(
      destination: destination, path: path, interface: interface, member: member,
      options: options, timeout: timeout, body: body, completion: completion)
  }

  /// Asks for a property's value.
  @discardableResult
  package func get(
    _ property: MemberName, options: CallOptions = [], timeout: Duration? = .seconds(25),
    completion: @escaping (Result<Value, DBusError>) -> Void
  ) -> PendingCall {
    callProperties(
      "Get", options, timeout,
      body: { [interface] in
        $0.append(interface.rawValue)
        $0.append(property.rawValue)
      },
      completion: { completion($0.reading(Value.self)) })
  }

  /// Asks for all properties of the interface.
  @discardableResult
  package func getAll(
    options: CallOptions = [], timeout: Duration? = .seconds(25),
    completion: @escaping (Result<[String: Value], DBusError>) -> Void
  ) -> PendingCall {
    callProperties(
      "GetAll", options, timeout,
      body: { [interface] in $0.append(interface.rawValue) },
      completion: { completion($0.reading([String: Value].self)) })
  }

  /// Writes a property.
  @discardableResult
  package func set(
    _ property: MemberName, to value: Value, options: CallOptions = [],
    timeout: Duration? = .seconds(25),
    completion: @escaping (Result<Void, DBusError>) -> Void
  ) -> PendingCall {
    callProperties(
      "Set", options, timeout,
      body: { [interface] in
        $0.append(interface.rawValue)
        $0.append(property.rawValue)
        $0.appendVariant(value)
      },
      completion: { result in completion(result.map { _ in () }) })
  }

  /// Calls `handler` with each PropertiesChanged of the interface: the values that came, and the
  /// names of those that changed without one.
  package func onPropertiesChanged(
    _ handler: @escaping (_ changed: [String: Value], _ invalidated: [String]) -> Void
  ) -> MatchHandle {
    connection.addMatch(
      .propertiesChanged(of: interface, at: .object(path), sender: destination)
    ) { message in
      guard
        let (_, changed, invalidated) = try? message.read(
          String.self, [String: Value].self, [String].self)
      else { return }
      handler(changed, invalidated)
    }
  }

  private func callProperties(
    _ member: MemberName, _ options: CallOptions, _ timeout: Duration?,
    body: @escaping (inout Writer) -> Void, completion: @escaping (CallResult) -> Void
  ) -> PendingCall {
    connection.call(
      destination: destination, path: path, interface: .properties, member: member,
      options: options, timeout: timeout, body: body, completion: completion)
  }
}
