// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import TestSupport
import Testing

@MainActor
@Suite("ObjectManager and introspection")
struct ManagerTests {
  static let properties =
    "{'Id': <'a'>, 'IsOn': <false>, 'Level': <0>, 'Picture': <[byte 0x61]>, "
    + "'Secret': <uint64 18446744073709551615>, 'Holds': <@aa{sv} []>}"

  @Test("objects below a manager are announced, listed and taken back")
  func lifecycle() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.addObjectManager(at: "/org/example")
    tree.publish(Lamp("root"), at: "/org/example")
    tree.publish(Lamp("outside"), at: "/org/other")
    let recorder = try fixture.record()
    let lamp = Lamp("a")
    tree.publish(lamp, at: "/org/example/lamps/a")
    let objects = try fixture.call(at: "/org/example", of: .objectManager, "GetManagedObjects")
    #expect(
      objects.text
        == "{objectpath '/org/example/lamps/a': {'org.example.Lamp1': \(Self.properties)}}")
    lamp.level = 1
    lamp.binding?.changed("Level")
    tree.unexport("/org/example/lamps/a")
    try fixture.settle()
    #expect(
      recorder.lines == [
        "InterfacesAdded /org/example objectpath '/org/example/lamps/a' "
          + "{'org.example.Lamp1': \(Self.properties)}",
        "InterfacesRemoved /org/example objectpath '/org/example/lamps/a' ['org.example.Lamp1']",
      ])
    let empty = try fixture.call(at: "/org/example", of: .objectManager, "GetManagedObjects")
    #expect(empty.text == "@a{oa{sa{sv}}} {}")
  }

  @Test("objects are listed in the order they were added, however many came and went")
  func order() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.addObjectManager(at: .root)
    let empty = InterfaceTable<Lamp>("org.example.Empty1")
    let paths = try (0..<300).map { try #require(ObjectPath("/all/p\($0)")) }
    for path in paths {
      tree.export(at: path, empty.bound(to: Lamp()))
    }
    let kept = paths.enumerated().filter { $0.offset % 7 == 3 }.map(\.element)
    for path in paths where !kept.contains(path) {
      tree.unexport(path)
    }
    tree.export(at: paths[0], empty.bound(to: Lamp()))
    let message = try fixture.call(at: .root, of: .objectManager, "GetManagedObjects").get()
    let objects = try message.read(Pairs<ObjectPath, [String: [String: Value]]>.self)
    #expect(objects.entries.map(\.key) == kept + [paths[0]])
  }

  @Test("ten thousand objects with twenty-nine properties are listed in one answer")
  func many() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.addObjectManager(at: .root)
    let table = InterfaceTable<Lamp>("org.example.Many1")
    for number in 0..<29 {
      let name = try #require(MemberName("Property\(number)"))
      table.add(.readOnly(name) { $0.name })
    }
    for number in 0..<10_000 {
      let path = try #require(ObjectPath("/lamps/l\(number)"))
      tree.export(at: path, table.bound(to: Lamp("lamp \(number)")))
    }
    let message = try fixture.call(at: .root, of: .objectManager, "GetManagedObjects").get()
    var count = 0
    try message.withReader { reader throws(DBusError) in
      try reader.readDictionary { entry throws(DBusError) in
        _ = try ObjectPath(from: &entry)
        entry.skip()
        count += 1
      }
    }
    #expect(count == 10_000)
  }

  @Test("an answer past the size limit is refused and the connection lives")
  func tooLarge() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.addObjectManager(at: .root)
    let text = String(repeating: "x", count: 1024 * 1024)
    for number in 0..<40 {
      let path = try #require(ObjectPath("/lamps/l\(number)"))
      tree.publish(Lamp(text), at: path)
    }
    let result = try fixture.call(at: .root, of: .objectManager, "GetManagedObjects")
    #expect(result.errorName == .limitsExceeded)
    try fixture.settle()
  }

  @Test("every path on the way to an object answers Introspect with its children, sorted")
  func intermediatePaths() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    for path: ObjectPath in ["/org/example/b", "/org/example/a/deep", "/org/another"] {
      tree.publish(Lamp(), at: path)
    }
    let children = { (path: ObjectPath) in
      (tree.introspectionXML(at: path) ?? "").split(separator: "\n").filter {
        $0.contains("<node name=")
      }
    }
    #expect(children("/") == ["  <node name=\"org\"/>"])
    #expect(children("/org") == ["  <node name=\"another\"/>", "  <node name=\"example\"/>"])
    #expect(children("/org/example") == ["  <node name=\"a\"/>", "  <node name=\"b\"/>"])
    #expect(children("/org/example/a") == ["  <node name=\"deep\"/>"])
    #expect(children("/org/example/b") == [])
    let answered = try fixture.call(at: "/org", of: .introspectable, "Introspect").get()
    #expect(try answered.read(String.self) == tree.introspectionXML(at: "/org"))
  }

  @Test("the introspection data is exactly this")
  func golden() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.addObjectManager(at: "/lamp")
    tree.publish(Lamp(), at: "/lamp")
    tree.publish(Lamp(), at: "/lamp/child")
    #expect(tree.introspectionXML(at: "/lamp") == Self.xml)
  }

  static let xml = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
    "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>
      <interface name="org.example.Lamp1">
        <method name="Add">
          <arg name="a" type="i" direction="in"/>
          <arg name="b" type="i" direction="in"/>
          <arg name="sum" type="i" direction="out"/>
        </method>
        <method name="Split">
          <arg name="text" type="s" direction="in"/>
          <arg name="first" type="s" direction="out"/>
          <arg name="rest" type="as" direction="out"/>
        </method>
        <method name="Reset"/>
        <method name="Errors">
          <arg name="errors" type="a(sus)" direction="out"/>
        </method>
        <method name="SetOn">
          <arg name="on" type="b" direction="in"/>
          <arg name="changed" type="b" direction="out"/>
        </method>
        <method name="Refuse"/>
        <signal name="Blinked">
          <arg name="times" type="u"/>
          <arg name="pattern" type="s"/>
        </signal>
        <property name="Id" type="s" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="const"/>
        </property>
        <property name="IsOn" type="b" access="readwrite"/>
        <property name="Level" type="i" access="read"/>
        <property name="Picture" type="ay" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="invalidates"/>
        </property>
        <property name="Secret" type="t" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
        </property>
        <property name="Holds" type="aa{sv}" access="read"/>
      </interface>
      <interface name="org.freedesktop.DBus.ObjectManager">
        <method name="GetManagedObjects">
          <arg name="objects" type="a{oa{sa{sv}}}" direction="out"/>
        </method>
        <signal name="InterfacesAdded">
          <arg name="object_path" type="o"/>
          <arg name="interfaces" type="a{sa{sv}}"/>
        </signal>
        <signal name="InterfacesRemoved">
          <arg name="object_path" type="o"/>
          <arg name="interfaces" type="as"/>
        </signal>
      </interface>
      <interface name="org.freedesktop.DBus.Properties">
        <method name="Get">
          <arg name="interface_name" type="s" direction="in"/>
          <arg name="property_name" type="s" direction="in"/>
          <arg name="value" type="v" direction="out"/>
        </method>
        <method name="GetAll">
          <arg name="interface_name" type="s" direction="in"/>
          <arg name="properties" type="a{sv}" direction="out"/>
        </method>
        <method name="Set">
          <arg name="interface_name" type="s" direction="in"/>
          <arg name="property_name" type="s" direction="in"/>
          <arg name="value" type="v" direction="in"/>
        </method>
        <signal name="PropertiesChanged">
          <arg name="interface_name" type="s"/>
          <arg name="changed_properties" type="a{sv}"/>
          <arg name="invalidated_properties" type="as"/>
        </signal>
      </interface>
      <interface name="org.freedesktop.DBus.Introspectable">
        <method name="Introspect">
          <arg name="xml_data" type="s" direction="out"/>
        </method>
      </interface>
      <interface name="org.freedesktop.DBus.Peer">
        <method name="Ping"/>
        <method name="GetMachineId">
          <arg name="machine_uuid" type="s" direction="out"/>
        </method>
      </interface>
      <node name="child"/>
    </node>

    """
}
