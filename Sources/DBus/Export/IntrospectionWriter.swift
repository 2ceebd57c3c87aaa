// SPDX-License-Identifier: MIT

import DBusTypes

/// Writes introspection data. Specification: "Introspection Data Format".
///
/// Names, types and paths hold none of XML's special characters, so nothing needs escaping.
struct IntrospectionWriter {
  private(set) var text = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
    "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>

    """

  mutating func interface(_ name: InterfaceName, _ body: (inout IntrospectionWriter) -> Void) {
    text += "  <interface name=\"\(name)\">\n"
    body(&self)
    text += "  </interface>\n"
  }

  mutating func method(_ name: MemberName, _ inputs: [Argument], _ outputs: [Argument]) {
    guard !inputs.isEmpty || !outputs.isEmpty else {
      text += "    <method name=\"\(name)\"/>\n"
      return
    }
    text += "    <method name=\"\(name)\">\n"
    for argument in inputs {
      add(argument, direction: "in")
    }
    for argument in outputs {
      add(argument, direction: "out")
    }
    text += "    </method>\n"
  }

  mutating func signal(_ name: MemberName, _ arguments: [Argument]) {
    guard !arguments.isEmpty else {
      text += "    <signal name=\"\(name)\"/>\n"
      return
    }
    text += "    <signal name=\"\(name)\">\n"
    for argument in arguments {
      add(argument, direction: nil)
    }
    text += "    </signal>\n"
  }

  mutating func property(
    _ name: MemberName, _ signature: String, isWritable: Bool, _ notice: ChangeNotice
  ) {
    text += "    <property name=\"\(name)\" type=\"\(signature)\""
    text += " access=\"\(isWritable ? "readwrite" : "read")\""
    guard let annotation = notice.annotation else {
      text += "/>\n"
      return
    }
    text += ">\n      <annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\""
    text += " value=\"\(annotation)\"/>\n    </property>\n"
  }

  mutating func child(_ name: Substring) {
    text += "  <node name=\"\(name)\"/>\n"
  }

  mutating func finish() {
    text += "</node>\n"
  }

  private mutating func add(_ argument: Argument, direction: String?) {
    text += "      <arg name=\"\(argument.name)\" type=\"\(argument.signature)\""
    if let direction { text += " direction=\"\(direction)\"" }
    text += "/>\n"
  }
}
