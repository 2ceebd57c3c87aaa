// SPDX-License-Identifier: MIT

package import DBusTypes

/// Introspectable. Specification: "org.freedesktop.DBus.Introspectable".
extension ObjectTree {
  /// What Introspect answers at a path; nil when there is nothing. The same objects give the same
  /// text, in whatever order they were added.
  package func introspectionXML(at path: ObjectPath) -> String? {
    nodes[path.rawValue].map { introspectionXML(of: $0) }
  }

  func introspectionXML(of node: ObjectNode) -> String {
    var xml = IntrospectionWriter()
    for binding in node.bindings {
      binding.members.describe(in: &xml)
    }
    if node.isManager { Self.describeManager(in: &xml) }
    if !node.bindings.isEmpty { Self.describeProperties(in: &xml) }
    xml.interface(.introspectable) {
      $0.method("Introspect", [], [Argument(name: "xml_data", signature: "s")])
    }
    xml.interface(.peer) {
      $0.method("Ping", [], [])
      $0.method("GetMachineId", [], [Argument(name: "machine_uuid", signature: "s")])
    }
    var children: [Substring] = []
    node.children.forEach { _, child in children.append(child.path.lastElement) }
    for child in children.sorted() {
      xml.child(child)
    }
    xml.finish()
    return xml.text
  }

  private static func describeProperties(in xml: inout IntrospectionWriter) {
    let interface = Argument(name: "interface_name", signature: "s")
    let property = Argument(name: "property_name", signature: "s")
    xml.interface(.properties) {
      $0.method("Get", [interface, property], [Argument(name: "value", signature: "v")])
      $0.method("GetAll", [interface], [Argument(name: "properties", signature: "a{sv}")])
      $0.method("Set", [interface, property, Argument(name: "value", signature: "v")], [])
      $0.signal(
        "PropertiesChanged",
        [
          interface, Argument(name: "changed_properties", signature: "a{sv}"),
          Argument(name: "invalidated_properties", signature: "as"),
        ])
    }
  }

  private static func describeManager(in xml: inout IntrospectionWriter) {
    let object = Argument(name: "object_path", signature: "o")
    xml.interface(.objectManager) {
      $0.method(
        "GetManagedObjects", [], [Argument(name: "objects", signature: "a{oa{sa{sv}}}")])
      $0.signal(
        "InterfacesAdded", [object, Argument(name: "interfaces", signature: "a{sa{sv}}")])
      $0.signal("InterfacesRemoved", [object, Argument(name: "interfaces", signature: "as")])
    }
  }
}
