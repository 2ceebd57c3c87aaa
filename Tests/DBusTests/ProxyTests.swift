// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import TestSupport
import Testing

@MainActor
@Suite("Proxies")
struct ProxyTests {
  let path: ObjectPath = "/org/example/lamp"

  private func proxy(_ fixture: Fixture) -> Proxy {
    Proxy(
      fixture.client, destination: fixture.service.uniqueName, path: path,
      interface: "org.example.Lamp1")
  }

  @Test("properties are read, written and followed")
  func properties() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    tree.publish(lamp, at: path)
    let proxy = proxy(fixture)
    var changes: [String] = []
    let handle = proxy.onPropertiesChanged { changed, invalidated in
      changes.append("\(changed["IsOn"]?.text ?? "-") \(invalidated)")
    }
    var level: Result<Value, DBusError>?
    proxy.get("Level") { level = $0 }
    try fixture.wait(for: "the level") { level != nil }
    #expect(level == .success(.int32(0)))
    var written: Result<Void, DBusError>?
    proxy.set("IsOn", to: .boolean(true)) { written = $0 }
    try fixture.wait(for: "the write") { written != nil }
    #expect((try? written?.get()) != nil)
    #expect(changes == ["true []"])
    lamp.binding?.changed("Picture")
    try fixture.wait(for: "the invalidation") { changes.count == 2 }
    #expect(changes.last == "- [\"Picture\"]")
    var all: Result<[String: Value], DBusError>?
    proxy.getAll { all = $0 }
    try fixture.wait(for: "all properties") { all != nil }
    #expect(try all?.get()["IsOn"] == .boolean(true))
    #expect(try all?.get().count == 6)
    handle.cancel()
  }

  @Test("what the peer refuses is a failure with its error")
  func refusals() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp(), at: path)
    let proxy = proxy(fixture)
    var errors: [ErrorName] = []
    proxy.get("Nothing") { if case .failure(let error) = $0 { errors.append(error.name) } }
    proxy.set("IsOn", to: .byte(1)) {
      if case .failure(let error) = $0 { errors.append(error.name) }
    }
    proxy.set("Id", to: .structure([])) {
      if case .failure(let error) = $0 { errors.append(error.name) }
    }
    proxy.call("Refuse") { if case .failure(let error) = $0 { errors.append(error.name) } }
    try fixture.wait(for: "four errors") { errors.count == 4 }
    #expect(
      Set(errors) == [.unknownProperty, .invalidArgs, .invalidArgs, "org.example.Error.Refused"])
  }

  @Test("an answer of another type than Properties.Get has is a failure, not a trap")
  func wrongAnswer() throws {
    final class Liar {}
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let table = InterfaceTable<Liar>(
      "org.freedesktop.DBus.Other",
      methods: [
        .method("Get", in: ["a", "b"], out: ["value"]) {
          (_, _, _: String, _: String) -> String in "no variant"
        }
      ])
    tree.export(at: "/liar", table.bound(to: Liar()))
    let result = try fixture.call(at: "/liar", of: nil, "Get") {
      $0.append("a")
      $0.append("b")
    }
    #expect(
      result.reading(Value.self)
        == .failure(
          .invalidArgs("expected arguments of types 'v', found 's'")))
  }
}
