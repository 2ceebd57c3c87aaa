// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import TestSupport
import Testing

@MainActor
@Suite("Published objects")
struct ExportTests {
  let path: ObjectPath = "/org/example/lamp"
  let interface = "org.example.Lamp1"

  // MARK: Properties

  @Test(
    "Get answers each property with its own type",
    arguments: [
      ("Id", "<'lamp'>"), ("IsOn", "<false>"), ("Level", "<7>"),
      ("Picture", "<[byte 0x6c, 0x61, 0x6d, 0x70]>"), ("Secret", "<uint64 18446744073709551615>"),
      ("Holds", "<@aa{sv} []>"),
    ])
  func get(property: String, expected: String) throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    lamp.level = 7
    tree.publish(lamp, at: path)
    #expect(try fixture.get(property, of: interface, at: path).text == expected)
    // Without an interface the one that has the property answers.
    #expect(try fixture.get(property, of: "", at: path).text == expected)
  }

  @Test("GetAll answers every property in the order of the table")
  func getAll() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp("a"), at: path)
    let expected =
      "{'Id': <'a'>, 'IsOn': <false>, 'Level': <0>, 'Picture': <[byte 0x61]>, "
      + "'Secret': <uint64 18446744073709551615>, 'Holds': <@aa{sv} []>}"
    for name in [interface, ""] {
      let all = try fixture.call(at: path, of: .properties, "GetAll") { $0.append(name) }
      #expect(all.text == expected)
    }
    let peer = try fixture.call(at: path, of: .properties, "GetAll") {
      $0.append("org.freedesktop.DBus.Peer")
    }
    #expect(peer.text == "@a{sv} {}")
  }

  @Test("Set reaches the setter, and the signal comes before the reply")
  func set() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    tree.publish(lamp, at: path)
    let recorder = try fixture.record()
    var replied = false
    fixture.client.call(
      destination: fixture.service.uniqueName, path: path, interface: .properties, member: "Set",
      body: { [interface] in
        $0.append(interface)
        $0.append("IsOn")
        $0.appendVariant(.boolean(true))
      }
    ) { result in
      recorder.note("reply \(result.text)")
      replied = true
    }
    try fixture.wait(for: "the reply") { replied }
    #expect(lamp.isOn)
    #expect(
      recorder.lines == [
        "PropertiesChanged /org/example/lamp 'org.example.Lamp1' {'IsOn': <true>} @as []",
        "reply ",
      ])
  }

  @Test("a setter that throws refuses the write with its error")
  func refusedSet() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp("broken"), at: path)
    let result = try fixture.set("IsOn", of: interface, at: path, to: .boolean(true))
    #expect(result.text == "org.freedesktop.DBus.Error.Failed: the lamp is broken")
  }

  nonisolated struct Refusal: Sendable, CustomTestStringConvertible {
    let method: MemberName
    let arguments: [Value]
    let expected: String

    init(_ method: MemberName, _ arguments: [Value], _ expected: String) {
      self.method = method
      self.arguments = arguments
      self.expected = expected
    }

    var testDescription: String { "\(method)(\(arguments.map(\.text).joined(separator: ", ")))" }
  }

  nonisolated static let lamp: Value = .string("org.example.Lamp1")

  @Test(
    "a wrong use of Properties gets the exact error",
    arguments: [
      Refusal(
        "Get", [.string("org.example.Other1"), .string("IsOn")],
        "UnknownInterface: the object '/org/example/lamp' has no interface 'org.example.Other1'"),
      Refusal(
        "Get", [lamp, .string("Nothing")],
        "UnknownProperty: the interface 'org.example.Lamp1' has no property 'Nothing'"),
      Refusal(
        "Get", [.string("org.freedesktop.DBus.Peer"), .string("Nothing")],
        "UnknownProperty: the interface 'org.freedesktop.DBus.Peer' has no property 'Nothing'"),
      Refusal(
        "Get", [.string(""), .string("Nothing")],
        "UnknownProperty: the object has no property 'Nothing'"),
      Refusal(
        "Get", [lamp],
        "InvalidArgs: Get takes arguments of types 'ss', found 's'"),
      Refusal(
        "GetAll", [.string("not a name")],
        "UnknownInterface: the object '/org/example/lamp' has no interface 'not a name'"),
      Refusal(
        "Set", [lamp, .string("Id"), .variant(.string("x"))],
        "PropertyReadOnly: the property 'Id' can't be written"),
      Refusal(
        "Set", [lamp, .string("IsOn"), .variant(.string("true"))],
        "InvalidArgs: the property 'IsOn' has the type 'b', found 's'"),
      Refusal(
        "Set", [lamp, .string("IsOn"), .variant(.array(of: .boolean, []))],
        "InvalidArgs: the property 'IsOn' has the type 'b', found 'ab'"),
      Refusal(
        "Set", [lamp, .string("IsOn"), .boolean(true)],
        "InvalidArgs: Set takes arguments of types 'ssv', found 'ssb'"),
      Refusal(
        "Set", [lamp, .string("Nothing"), .variant(.boolean(true))],
        "UnknownProperty: the interface 'org.example.Lamp1' has no property 'Nothing'"),
      Refusal(
        "Steal", [],
        "UnknownMethod: the interface 'org.freedesktop.DBus.Properties' has no method 'Steal'"),
    ])
  func refusals(refusal: Refusal) throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp(), at: path)
    let result = try fixture.call(at: path, of: .properties, refusal.method) { writer in
      for argument in refusal.arguments {
        writer.append(argument)
      }
    }
    #expect(result.text == "org.freedesktop.DBus.Error." + refusal.expected)
  }

  // MARK: Changes

  @Test("changes of one turn leave as one signal for each object, in the order they were marked")
  func collectedChanges() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let (first, second) = (Lamp("first"), Lamp("second"))
    tree.publish(first, at: "/first")
    tree.publish(second, at: "/second")
    let recorder = try fixture.record()
    second.level = 1
    second.binding?.changed("Level")
    first.level = 2
    first.binding?.changed("Level", "IsOn", "Picture", "Secret", "Nothing")
    second.level = 3
    second.isOn = true
    second.binding?.changed("IsOn", "Level")
    try fixture.settle()
    #expect(
      recorder.lines == [
        "PropertiesChanged /second 'org.example.Lamp1' {'Level': <3>, 'IsOn': <true>} @as []",
        "PropertiesChanged /first 'org.example.Lamp1' {'Level': <2>, 'IsOn': <false>} ['Picture']",
      ])
  }

  @Test("a property that tells nothing sends nothing")
  func silentProperty() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    tree.publish(lamp, at: path)
    let recorder = try fixture.record()
    lamp.binding?.changed("Secret", "Id")
    tree.flush()
    try fixture.settle()
    #expect(recorder.lines == [])
  }

  @Test("an interface that is announced last follows all others, and its properties come and go")
  func announcedLast() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    tree.publish(lamp, at: path)
    let board = InterfaceTable<Lamp>("org.example.Board1", isAnnouncedLast: true)
    let binding = board.bound(to: lamp)
    tree.export(at: "/board", binding)
    let recorder = try fixture.record()
    for name: MemberName in ["one", "two", "three"] {
      board.add(.readOnly(name) { $0.isOn })
      binding.added(name)
    }
    lamp.binding?.changed("Level")
    tree.flush()
    #expect(try fixture.get("two", of: "org.example.Board1", at: "/board").text == "<false>")
    #expect(board.remove("two"))
    #expect(!board.remove("two"))
    binding.invalidated("two")
    lamp.isOn = true
    binding.changed("one")
    tree.flush()
    #expect(
      try fixture.get("two", of: "org.example.Board1", at: "/board").errorName == .unknownProperty)
    let all = try fixture.call(at: "/board", of: .properties, "GetAll") {
      $0.append("org.example.Board1")
    }
    #expect(all.text == "{'one': <true>, 'three': <true>}")
    #expect(
      recorder.lines == [
        "PropertiesChanged /org/example/lamp 'org.example.Lamp1' {'Level': <0>} @as []",
        "PropertiesChanged /board 'org.example.Board1' "
          + "{'one': <false>, 'two': <false>, 'three': <false>} @as []",
        "PropertiesChanged /board 'org.example.Board1' {'one': <true>} ['two']",
      ])
  }

  @Test("a property that goes and comes back before the signal has changed")
  func backAgain() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let board = InterfaceTable<Lamp>("org.example.Board1")
    board.add(.readOnly("one") { $0.isOn })
    let binding = board.bound(to: Lamp())
    tree.export(at: "/board", binding)
    let recorder = try fixture.record()
    board.remove("one")
    binding.invalidated("one")
    board.add(.readOnly("one") { $0.level })
    binding.added("one")
    // Whatever it is back to is not what anyone knows of it.
    binding.changed("one")
    binding.unchanged(["one"])
    try fixture.settle()
    #expect(
      recorder.lines == ["PropertiesChanged /board 'org.example.Board1' {'one': <0>} @as []"])
  }

  @Test("a signal goes to everyone, or to one peer")
  func signals() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    tree.publish(lamp, at: path)
    let recorder = try fixture.record()
    let other = try Connection(.address(fixture.bus.address))
    try other.attach(to: fixture.loop)
    let otherRecorder = Recorder(other, fixture.service.uniqueName)
    _ = try fixture.call(on: other, to: .bus, at: .bus, of: .bus, "GetId")
    lamp.binding?.emit("Blinked", UInt32(3), "fast")
    lamp.binding?.emit("Blinked", to: other.uniqueName, UInt32(1), "slow")
    try fixture.settle()
    _ = try fixture.call(on: other, to: .bus, at: .bus, of: .bus, "GetId")
    #expect(recorder.lines == ["Blinked /org/example/lamp uint32 3 'fast'"])
    #expect(
      otherRecorder.lines == [
        "Blinked /org/example/lamp uint32 3 'fast'", "Blinked /org/example/lamp uint32 1 'slow'",
      ])
  }

  @Test("an object that was taken back tells nothing and answers nothing")
  func unexported() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    tree.publish(lamp, at: path)
    let recorder = try fixture.record()
    lamp.binding?.changed("Level")
    tree.unexport(path)
    tree.unexport(path)
    lamp.binding?.changed("Level")
    lamp.binding?.emit("Blinked", UInt32(3), "fast")
    tree.flush()
    #expect(!tree.hasObject(at: path))
    #expect(lamp.binding?.path == nil)
    #expect(try fixture.get("Level", of: interface, at: path).errorName == .unknownObject)
    #expect(try fixture.call(at: "/org", of: .introspectable, "Introspect").errorName != nil)
    #expect(recorder.lines == [])
    tree.publish(lamp, at: path)
    #expect(try fixture.get("Level", of: interface, at: path).errorName == nil)
  }

  @Test("bindings outlive their tree in silence")
  func droppedTree() throws {
    let fixture = try Fixture()
    var tree: ObjectTree? = ObjectTree(fixture.service)
    let lamp = Lamp()
    tree?.publish(lamp, at: path)
    tree = nil
    lamp.binding?.changed("Level")
    #expect(lamp.binding?.path == nil)
    #expect(try fixture.get("Level", of: interface, at: path).errorName == .unknownMethod)
  }

  @Test("a text with U+0000 leaves with a replacement and takes nothing else down")
  func nullInText() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp("a\u{0}b"), at: path)
    #expect(try fixture.get("Id", of: interface, at: path).text == "<'a\u{FFFD}b'>")
  }
}
