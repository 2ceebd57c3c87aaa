// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// Clients that send what they should not. After each the daemon is alive and every row right.
@Suite("hostile clients")
struct HostileMessageTests {
  private static let rows = [
    "lamp": "[Backend]\nType=stored", "fan": "[Backend]\nType=stored",
    "heater": "[Backend]\nType=stored",
  ]

  /// Runs an attack to its end.
  private func attack(_ scene: BackendScene, _ arguments: String...) throws {
    let outcome = try Program.run(
      [Python.path, Scripts.path("backend_hostile.py"), scene.bus.address] + arguments,
      within: .seconds(120))
    #expect(outcome.status.isSuccess, "\(outcome.error)\n\(scene.log)")
    try requireFlips(scene)
  }

  private func requireFlips(_ scene: BackendScene) throws {
    for id in Self.rows.keys.sorted() {
      for on in [true, false] {
        #expect(try scene.client.setOn(id, on).hasPrefix("ok "), "\(scene.log)")
        try scene.requireAlive([id: on ? "on" : "off"])
      }
    }
  }

  private struct Call: CustomTestStringConvertible, Sendable {
    var path = "/org/toggled/rows/lamp"
    var interface = "org.toggled.Row1"
    let member: String
    var signature = "''"
    var values = "[]"
    let error: String

    var testDescription: String { "\(path) \(interface).\(member) \(signature) \(values)" }

    static func set(
      _ interface: String, _ name: String, _ value: String,
      at path: String = "/org/toggled/rows/lamp", _ error: String
    ) -> Call {
      Call(
        path: path, interface: "org.freedesktop.DBus.Properties", member: "Set",
        signature: "ssv", values: #"["\#(interface)","\#(name)",\#(value)]"#, error: error)
    }

    static func get(_ interface: String, _ name: String, _ error: String) -> Call {
      Call(
        interface: "org.freedesktop.DBus.Properties", member: "Get", signature: "ss",
        values: #"["\#(interface)","\#(name)"]"#, error: error)
    }
  }

  @Test(
    "a wrong call is answered with the standard error that says what is wrong",
    arguments: [
      .set("org.toggled.Row1", "IsOn", #"["s","on"]"#, "InvalidArgs"),
      .set("org.toggled.Row1", "IsOn", #"["i",1]"#, "InvalidArgs"),
      .set("org.toggled.Row1", "IsOn", #"["v",["b",true]]"#, "InvalidArgs"),
      .set("org.toggled.Row1", "IsOn", #"["ab",[true]]"#, "InvalidArgs"),
      .set("org.example.Row1", "IsOn", #"["b",true]"#, "UnknownInterface"),
      .set("not an interface", "IsOn", #"["b",true]"#, "UnknownInterface"),
      .set("org.toggled.Row1", "Nothing", #"["b",true]"#, "UnknownProperty"),
      .set("org.toggled.Row1", "State", #"["s","on"]"#, "PropertyReadOnly"),
      .set("org.toggled.Row1", "Id", #"["s","on"]"#, "PropertyReadOnly"),
      .set("org.toggled.Switches1", "lamp", #"["u",1]"#, at: "/org/toggled", "InvalidArgs"),
      .set("org.toggled.Switches1", "none", #"["b",true]"#, at: "/org/toggled", "UnknownProperty"),
      .set("org.toggled.Manager1", "Rows", #"["u",0]"#, at: "/org/toggled", "PropertyReadOnly"),
      .set("org.toggled.Row1", "IsOn", #"["b",true]"#, at: "/org/toggled/rows/no", "UnknownObject"),
      .set("org.toggled.Row1", "IsOn", #"["b",true]"#, at: "/org/toggled/rows", "UnknownInterface"),
      .get("org.toggled.Row1", "Nothing", "UnknownProperty"),
      .get("org.toggled.Row1", "", "UnknownProperty"),
      .get("org.toggled.Row2", "IsOn", "UnknownInterface"),
      Call(member: "SetOn", error: "InvalidArgs"),
      Call(member: "SetOn", signature: "s", values: #"["on"]"#, error: "InvalidArgs"),
      Call(member: "SetOn", signature: "bb", values: "[true,true]", error: "InvalidArgs"),
      Call(member: "SetOn", signature: "v", values: #"[["b",true]]"#, error: "InvalidArgs"),
      Call(member: "Toggle", signature: "b", values: "[true]", error: "InvalidArgs"),
      Call(member: "Nothing", error: "UnknownMethod"),
      Call(interface: "org.example.Row1", member: "SetOn", error: "UnknownInterface"),
      Call(interface: "''", member: "Nothing", error: "UnknownMethod"),
      Call(path: "/org/toggled/rows/lamp/below", member: "Toggle", error: "UnknownObject"),
      Call(path: "/org/toggled/rows/Lamp", member: "Toggle", error: "UnknownObject"),
      Call(path: "/org/toggled/rows/_", member: "Toggle", error: "UnknownObject"),
      Call(path: "/nowhere", member: "Toggle", error: "UnknownObject"),
      Call(
        path: "/org/toggled", interface: "org.toggled.Manager1", member: "Apply",
        signature: "a{ss}", values: #"[{"lamp":"on"}]"#, error: "InvalidArgs"),
    ] as [Call])
  private func wrong(call: Call) throws {
    let scene = try BackendScene(Self.rows)
    try scene.client.await("lamp", "off")
    let answer = try scene.client.wait(
      scene.client.start(
        "call org.toggled \(call.path) \(call.interface) \(call.member) \(call.signature) "
          + "'\(call.values)' 0"))
    #expect(answer.hasPrefix("error org.freedesktop.DBus.Error.\(call.error) "), "\(answer)")
    // Something is said.
    #expect(answer.split(separator: " ").count > 3, "\(answer)")
    #expect(scene.client.announced("lamp", "Target") == [])
    try scene.requireAlive(["lamp": "off", "fan": "off", "heater": "off"])
  }

  @Test("ids that are none are errors of their own entry in Apply")
  func wrongIds() throws {
    let scene = try BackendScene(Self.rows)
    try scene.client.await("lamp", "off")
    let wanted = #"{"lamp":true,"no_such":true,"../etc":true,"":true,"LAMP":true,"lamp\n":true}"#
    let answer = try scene.client.wait(
      scene.client.start(
        "call org.toggled /org/toggled org.toggled.Manager1 Apply a{sb} '[\(wanted)]' 0"))
    #expect(answer.hasPrefix("ok "), "\(answer)")
    #expect(answer.contains(#""lamp": [true, "", ""]"#), "\(answer)")
    let unknown = #"[false, "org.freedesktop.DBus.Error.UnknownObject", "#
    #expect(answer.split(separator: unknown).count == 6, "\(answer)")
    try scene.requireAlive(["lamp": "on", "fan": "off"])
  }

  @Test("bytes that are no messages, and messages with bits turned over")
  func garbage() throws {
    let scene = try BackendScene(Self.rows)
    try attack(scene, "garbage")
  }

  @Test("messages as large as the bus lets through are answered shortly")
  func large() throws {
    let scene = try BackendScene(Self.rows)
    try attack(scene, "large")
  }

  @Test("clients that are gone before their flip is answered")
  func leave() throws {
    let scene = try BackendScene(Self.rows)
    try attack(scene, "leave")
  }

  @Test("random calls with random arguments, each answered once", arguments: 1...4)
  func fuzz(seed: Int) throws {
    let scene = try BackendScene(Self.rows)
    try attack(scene, "fuzz", "\(seed)")
  }

  @Test("ten thousand calls whose answers nobody reads, while another client is served")
  func flood() throws {
    let scene = try BackendScene(Self.rows)
    try scene.client.await("lamp", "off")
    let flooder = try Program(
      [Python.path, Scripts.path("backend_hostile.py"), scene.bus.address, "flood"],
      hasInput: true)
    try flooder.waitForLine(containing: "sent", within: .seconds(60))
    try requireFlips(scene)
    try flooder.write("read\n")
    let status = try flooder.waitForExit(within: .seconds(60))
    #expect(status.isSuccess, "\(flooder.text(.error))\n\(scene.log)")
    try requireFlips(scene)
  }
}
