// SPDX-License-Identifier: MIT

import CDBus
import DBusTypes

extension ObjectTree {
  /// Answers a method call, or hands it to a handler that will.
  func receive(_ message: OpaquePointer) {
    guard let call = Call(message) else { return }
    do throws(DBusError) {
      try perform(call)
    } catch {
      refuse(call, error)
    }
  }

  private func perform(_ call: Call) throws(DBusError) {
    guard let node = nodes[call.pathText] else {
      throw DBusError(.unknownObject, "there is no object at '\(call.pathText)'")
    }
    guard let interface = call.interface else {
      return try performWithoutInterface(call, at: node)
    }
    if isEqual(interface, InterfaceName.properties.rawValue), !node.bindings.isEmpty {
      try performProperties(call, at: node)
    } else if let binding = node.binding(of: interface) {
      try invoke(call, on: binding)
    } else if isEqual(interface, InterfaceName.introspectable.rawValue) {
      try performIntrospectable(call, at: node)
    } else if isEqual(interface, InterfaceName.objectManager.rawValue), node.isManager {
      try performManager(call, at: node)
    } else {
      throw DBusError(
        .unknownInterface,
        "the object '\(call.pathText)' has no interface '\(String(cString: interface))'")
    }
  }

  /// The specification lets a call leave the interface out; the first that has the method answers.
  private func performWithoutInterface(_ call: Call, at node: ObjectNode) throws(DBusError) {
    let member = call.memberText
    if let binding = node.bindings.first(where: { $0.members.method(named: member) != nil }) {
      return try invoke(call, on: binding)
    }
    switch member {
    case "Introspect": try performIntrospectable(call, at: node)
    case "Get", "GetAll", "Set": try performProperties(call, at: node)
    case "GetManagedObjects" where node.isManager: try performManager(call, at: node)
    default:
      throw DBusError(
        .unknownMethod, "no interface of '\(call.pathText)' has a method '\(member)'")
    }
  }

  private func performIntrospectable(_ call: Call, at node: ObjectNode) throws(DBusError) {
    try require(call, "Introspect", of: .introspectable)
    try require(call, signature: "")
    let xml = introspectionXML(of: node)
    answer(call) { $0.append(xml) }
  }

  private func performManager(_ call: Call, at node: ObjectNode) throws(DBusError) {
    try require(call, "GetManagedObjects", of: .objectManager)
    try require(call, signature: "")
    getManagedObjects(of: node, call)
  }

  private func require(
    _ call: Call, _ member: String, of interface: InterfaceName
  ) throws(DBusError) {
    guard isEqual(call.member, member) else { throw unknownMethod(call, interface) }
  }

  func unknownMethod(_ call: Call, _ interface: InterfaceName) -> DBusError {
    DBusError(
      .unknownMethod, "the interface '\(interface)' has no method '\(call.memberText)'")
  }

  func require(_ call: Call, signature: String) throws(DBusError) {
    guard dbus_message_has_signature(call.message, signature) != 0 else {
      let found = String(cString: dbus_message_get_signature(call.message))
      throw .invalidArgs(
        "\(call.memberText) takes arguments of types '\(signature)', found '\(found)'")
    }
  }

  private func invoke(_ call: Call, on binding: InterfaceBinding) throws(DBusError) {
    let member = call.memberText
    guard let method = binding.members.method(named: member) else {
      throw unknownMethod(call, binding.interface)
    }
    try require(call, signature: method.inputSignature)
    let invocation = Invocation(call, self, output: method.outputSignature)
    var reader = Reader(call.message, elementLimit: Self.elementLimit)
    do throws(DBusError) {
      try binding.invoke(method, &reader, invocation)
    } catch {
      invocation.fail(error)
    }
  }

  /// A message of a bus's largest size may hold millions, and nobody else is answered while it is
  /// read.
  static let elementLimit = 16 * 1024

  // MARK: Answers

  /// Answers at once, without an `Invocation`. Nobody reads a value that was not told yet.
  func answer(_ call: Call, _ body: (inout Writer) -> Void) {
    flush()
    guard dbus_message_get_no_reply(call.message) == 0 else { return }
    let reply = Message(adopting: check(dbus_message_new_method_return(call.message)))
    do throws(DBusError) {
      try reply.write(body)
      connection.send(reply)
    } catch {
      refuse(call, error)
    }
  }

  private func refuse(_ call: Call, _ error: DBusError) {
    guard dbus_message_get_no_reply(call.message) == 0 else { return }
    connection.send(Message.error(error, to: Message(retaining: call.message)))
  }
}
