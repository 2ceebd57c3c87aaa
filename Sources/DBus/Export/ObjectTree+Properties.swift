// SPDX-License-Identifier: MIT

import CDBus
import DBusTypes

/// Properties. Specification: "org.freedesktop.DBus.Properties".
extension ObjectTree {
  func performProperties(_ call: Call, at node: ObjectNode) throws(DBusError) {
    if isEqual(call.member, "Get") {
      try get(call, at: node)
    } else if isEqual(call.member, "GetAll") {
      try getAll(call, at: node)
    } else if isEqual(call.member, "Set") {
      try set(call, at: node)
    } else {
      throw unknownMethod(call, .properties)
    }
  }

  private func get(_ call: Call, at node: ObjectNode) throws(DBusError) {
    try require(call, signature: "ss")
    var reader = Reader(call.message)
    let interface = try reader.readText(CDBUS_TYPE_STRING)
    let name = try reader.readString()
    let (binding, property) = try find(name, of: interface, at: node)
    answer(call) { binding.write(property, to: &$0) }
  }

  private func getAll(_ call: Call, at node: ObjectNode) throws(DBusError) {
    try require(call, signature: "s")
    var reader = Reader(call.message)
    let interface = try reader.readText(CDBUS_TYPE_STRING)
    let bindings: [InterfaceBinding]
    if interface.pointee == 0 {
      // No interface named: the properties of all of them.
      bindings = node.bindings
    } else if let binding = node.binding(of: interface) {
      bindings = [binding]
    } else if Self.isStandard(interface) {
      bindings = []
    } else {
      throw unknownInterface(interface, at: node)
    }
    answer(call) { writer in
      writer.appendDictionary(of: "{sv}") { writer in
        for binding in bindings {
          binding.writeProperties(to: &writer)
        }
      }
    }
  }

  private func set(_ call: Call, at node: ObjectNode) throws(DBusError) {
    try require(call, signature: "ssv")
    var reader = Reader(call.message, elementLimit: Self.elementLimit)
    let interface = try reader.readText(CDBUS_TYPE_STRING)
    let name = try reader.readString()
    let (binding, property) = try find(name, of: interface, at: node)
    guard property.set != nil else {
      throw DBusError(.propertyReadOnly, "the property '\(name)' can't be written")
    }
    let invocation = Invocation(call, self, output: "")
    do throws(DBusError) {
      try reader.readVariant { reader throws(DBusError) in
        let found = reader.signature
        guard found == property.signature else {
          throw .invalidArgs(
            "the property '\(name)' has the type '\(property.signature)', found '\(found)'")
        }
        try binding.set(property, from: &reader, invocation)
      }
    } catch {
      invocation.fail(error)
    }
  }

  /// The property, and the interface of that name that has it; any that has it when the name is
  /// empty.
  private func find(
    _ name: String, of interface: UnsafePointer<CChar>, at node: ObjectNode
  ) throws(DBusError) -> (InterfaceBinding, PropertyMember) {
    if interface.pointee == 0 {
      for binding in node.bindings {
        if let property = binding.members.property(named: name) { return (binding, property) }
      }
    } else if let binding = node.binding(of: interface) {
      if let property = binding.members.property(named: name) { return (binding, property) }
    } else if !Self.isStandard(interface) {
      throw unknownInterface(interface, at: node)
    }
    let owner = interface.pointee == 0 ? "object" : "interface '\(String(cString: interface))'"
    throw DBusError(.unknownProperty, "the \(owner) has no property '\(name)'")
  }

  /// Interfaces that every object answers and that have no properties.
  private static func isStandard(_ interface: UnsafePointer<CChar>) -> Bool {
    let standard: [InterfaceName] = [.properties, .introspectable, .peer, .objectManager]
    return standard.contains { isEqual(interface, $0.rawValue) }
  }

  private func unknownInterface(
    _ interface: UnsafePointer<CChar>, at node: ObjectNode
  ) -> DBusError {
    DBusError(
      .unknownInterface,
      "the object '\(node.path)' has no interface '\(String(cString: interface))'")
  }
}
