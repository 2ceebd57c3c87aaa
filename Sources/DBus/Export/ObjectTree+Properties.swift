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
    let binding = try self.binding(of: interface, with: name, at: node)
    answer(call) { binding.writeProperty(name, to: &$0) }
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
    var reader = Reader(call.message)
    let interface = try reader.readText(CDBUS_TYPE_STRING)
    let name = try reader.readString()
    let binding = try self.binding(of: interface, with: name, at: node)
    guard let kind = binding.kind(ofProperty: name), kind.isWritable else {
      throw DBusError(.propertyReadOnly, "the property '\(name)' can't be written")
    }
    let invocation = Invocation(Message(retaining: call.message), self, output: "")
    do throws(DBusError) {
      try reader.readVariant { reader throws(DBusError) in
        let found = reader.signature
        guard found == kind.signature else {
          throw .invalidArgs(
            "the property '\(name)' has the type '\(kind.signature)', found '\(found)'")
        }
        try binding.setProperty(name, from: &reader, invocation)
      }
    } catch {
      invocation.fail(error)
    }
  }

  /// The interface of that name that has the property; any that has it when the name is empty.
  private func binding(
    of interface: UnsafePointer<CChar>, with property: String, at node: ObjectNode
  ) throws(DBusError) -> InterfaceBinding {
    if interface.pointee == 0 {
      if let binding = node.bindings.first(where: { $0.kind(ofProperty: property) != nil }) {
        return binding
      }
    } else if let binding = node.binding(of: interface) {
      if binding.kind(ofProperty: property) != nil { return binding }
    } else if !Self.isStandard(interface) {
      throw unknownInterface(interface, at: node)
    }
    let owner = interface.pointee == 0 ? "object" : "interface '\(String(cString: interface))'"
    throw DBusError(.unknownProperty, "the \(owner) has no property '\(property)'")
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
