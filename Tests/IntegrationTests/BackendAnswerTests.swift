// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// Services that answer never, late, twice or wrongly: their own words are passed on, and a flip
/// that is not confirmed in time fails.
@Suite("a dbus row and what its service answers")
struct BackendAnswerTests {
  static let service = [
    "property /radio org.example.Radio1 Powered b false",
    "property /radio org.example.Radio1 Mode s '\"calm\"'",
    "own org.example.Radio",
  ]

  static func row(_ property: String = "Powered", _ more: String...) -> String {
    """
    [Backend]
    Type=dbus
    Service=org.example.Radio
    Path=/radio
    Interface=org.example.Radio1
    Property=\(property)
    \(more.joined(separator: "\n"))
    """
  }

  private static let impatient = "[Row]\nTitle=Radio\nTimeout=1\n\(row())"
  private static let stored = "[Backend]\nType=stored"

  @Test("a service that never answers Set ends in TimedOut, and others answer meanwhile")
  func hungWrite() throws {
    let scene = try BackendScene([
      "brief": Self.impatient, "radio": Self.row(), "lamp": Self.stored,
    ])
    let service = try scene.service(Self.service)
    for id in ["radio", "brief"] { try scene.client.read(id, until: "off") }
    try service.tell("answer Set never")
    _ = try scene.client.startSetOn("radio", true)
    try service.waitForCall("Set")
    try scene.client.await("radio", ["Target": #""on""#])
    #expect(try scene.client.setOn("lamp", true) == "ok [true]")
    #expect(try scene.client.get("radio", "Target") == #""on""#)
    let answer = try scene.client.setOn("brief", true)
    #expect(answer.hasPrefix("error org.toggled.Error.TimedOut "), "\(answer)")
    #expect(answer.contains("org.example.Radio did not answer in time"), "\(answer)")
    // The re-read that follows.
    try service.waitForCall("Get")
    #expect(try scene.client.get("brief", "Target") == #""""#)
    try scene.client.read("brief", until: "off")
  }

  @Test("a service that answers nothing is a timeout, and is read when it wakes up and says so")
  func hungRead() throws {
    let scene = try BackendScene(["radio": Self.impatient, "lamp": Self.stored])
    let service = try scene.service(["answer GetAll never", "answer Get never"] + Self.service)
    try service.waitForCall("GetAll")
    try scene.requireAlive(["lamp": "off", "radio": "unknown"])
    try scene.client.await("radio", ["Reason": #""timeout""#, "Available": "false"])
    #expect(try scene.client.call("radio", "Refresh") == "ok []")
    try scene.requireAlive(["radio": "unknown"])
    try service.tell(
      "answer GetAll normal", "answer Get normal", "change /radio org.example.Radio1 Powered true")
    try scene.client.await("radio", "on")
  }

  @Test("an answer that comes late confirms the flip when it comes")
  func late() throws {
    let scene = try BackendScene(["radio": Self.row()])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    try service.tell("answer Set hold")
    let flip = try scene.client.startSetOn("radio", true)
    try service.waitForCall("Set")
    #expect(try scene.client.get("radio", "State") == #""off""#)
    try service.tell("free")
    #expect(try scene.client.wait(flip) == "ok [true]")
    try scene.requireAlive(["radio": "on"])
  }

  @Test("an answer that comes after the Timeout confirms nothing, and the row is right")
  func tooLate() throws {
    let scene = try BackendScene(["radio": Self.impatient])
    let service = try scene.service(Self.service + ["signals none"])
    try scene.client.read("radio", until: "off")
    try service.tell("answer Set hold")
    let answer = try scene.client.setOn("radio", true)
    #expect(answer.hasPrefix("error org.toggled.Error.TimedOut "), "\(answer)")
    try service.tell("answer Set normal", "free")
    try scene.client.read("radio", until: "on")
    // Nothing is under way any more.
    #expect(try scene.client.setOn("radio", true) == "ok [false]")
  }

  @Test("an answer that comes twice counts once", arguments: ["Get", "GetAll", "Set"])
  func twice(member: String) throws {
    let scene = try BackendScene(["radio": Self.row()])
    let service = try scene.service(
      ["answer \(member) twice", "signals none"] + Self.service)
    try scene.client.await("radio", "off")
    for on in [true, false, true] {
      #expect(try scene.client.setOn("radio", on) == "ok [true]")
      #expect(try scene.client.get("radio", "IsOn") == "\(on)")
    }
    withExtendedLifetime(service) {}
  }

  @Test(
    "a reading of another shape makes the row unknown and nothing else",
    arguments: [
      ("GetAll body s '[\"on\"]'", "failed"), ("GetAll body '' '[]'", "failed"),
      ("GetAll body a{ss} '[{\"Powered\":\"true\"}]'", "failed"),
      ("GetAll body a{sv} '[{}]'", "not-found"),
      ("GetAll body a{sv} '[{\"Powered\":[\"s\",\"on\"]}]'", "unrecognised"),
      ("GetAll body a{sv} '[{\"Powered\":[\"v\",[\"b\",true]]}]'", "unrecognised"),
      ("GetAll body a{sv} '[{\"no name\":[\"b\",true]}]'", "not-found"),
      ("GetAll error org.freedesktop.DBus.Error.AccessDenied no", "no-access"),
      ("GetAll error org.bluez.Error.NotAuthorized no", "no-access"),
      ("GetAll error org.freedesktop.DBus.Error.UnknownObject no", "not-found"),
      ("GetAll error org.freedesktop.DBus.Error.UnknownInterface no", "not-found"),
      ("GetAll error org.freedesktop.DBus.Error.UnknownMethod no", "not-found"),
      ("GetAll error org.freedesktop.DBus.Error.InvalidArgs no", "not-found"),
      ("GetAll error org.freedesktop.DBus.Error.NoReply no", "timeout"),
      ("GetAll error org.example.Broken no", "failed"),
      ("GetAll error org.example.Broken ''", "failed"),
    ])
  func wrongReading(how: String, reason: String) throws {
    let scene = try BackendScene(["radio": Self.row(), "lamp": Self.stored])
    let service = try scene.service(["answer \(how)"] + Self.service)
    try scene.client.await("radio", ["Reason": "\"\(reason)\""])
    try scene.requireAlive(["radio": "unknown", "lamp": "off"])
    #expect(try scene.client.get("radio", "ReasonText") != #""""#)
    // It gets over it.
    try service.tell("answer GetAll normal")
    #expect(try scene.client.call("radio", "Refresh") == "ok []")
    try scene.requireAlive(["radio": "off"])
  }

  @Test(
    "one property that can't be read says nothing of the others",
    arguments: [
      "error org.freedesktop.DBus.Error.UnknownProperty no",
      "error org.freedesktop.DBus.Error.AccessDenied no", "body s '[\"x\"]'",
    ])
  func oneProperty(how: String) throws {
    let scene = try BackendScene([
      "radio": Self.row(), "mode": Self.row("Mode", "On='wild'", "Off='calm'"),
    ])
    let service = try scene.service(["answer Get/Mode \(how)"] + Self.service)
    try scene.client.await("radio", "off")
    try scene.client.await("mode", "off")
    #expect(try scene.client.call("mode", "Refresh") == "ok []")
    try scene.requireAlive(["mode": "unknown", "radio": "off"])
    #expect(try scene.client.setOn("radio", true) == "ok [true]")
    try service.tell("change /radio org.example.Radio1 Mode '\"wild\"'")
    try scene.client.await("mode", "on")
  }

  @Test("an error name that is not valid costs the service its connection, not the daemon")
  func invalidErrorName() throws {
    let scene = try BackendScene(["radio": Self.row(), "lamp": Self.stored])
    let service = try scene.service(Self.service + ["answer Set badname"])
    try scene.client.await("radio", "off")
    let answer = try scene.client.setOn("radio", true)
    #expect(answer.hasPrefix("error org.toggled.Error.Unavailable "), "\(answer)")
    try scene.client.await("radio", ["Reason": #""no-service""#])
    #expect(try scene.client.setOn("lamp", true) == "ok [true]")
    withExtendedLifetime(service) {}
  }

  @Test(
    "a flip that the service refuses is answered in its own words",
    arguments: [
      ("org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.AccessDenied"),
      ("org.bluez.Error.NotAuthorized", "org.freedesktop.DBus.Error.AccessDenied"),
      (
        "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired",
        "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired"
      ),
      ("org.freedesktop.DBus.Error.UnknownProperty", "org.toggled.Error.Unavailable"),
      ("org.freedesktop.DBus.Error.PropertyReadOnly", "org.toggled.Error.BackendFailed"),
      ("org.bluez.Error.Busy", "org.toggled.Error.BackendFailed"),
    ])
  func refused(name: String, expected: String) throws {
    let scene = try BackendScene(["radio": Self.row()])
    let service = try scene.service(Self.service + ["answer Set error \(name) 'not on Sundays'"])
    try scene.client.await("radio", "off")
    let answer = try scene.client.setOn("radio", true)
    #expect(answer.hasPrefix("error \(expected) "), "\(answer)")
    #expect(answer.contains("not on Sundays"), "\(answer)")
    try scene.requireAlive(["radio": "off"])
    #expect(try scene.client.get("radio", "Reason") == #""""#)
    withExtendedLifetime(service) {}
  }

  @Test("a service that complains at length is quoted briefly")
  func verbose() throws {
    let scene = try BackendScene(["radio": Self.row()])
    let words = String(repeating: "é", count: 100_000)
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    try service.tell("answer Set error org.example.Broken \(words)")
    #expect(try scene.client.setOn("radio", true).utf8.count < 5000)
    try service.tell("answer Get error org.example.Broken \(words)")
    #expect(try scene.client.call("radio", "Refresh") == "ok []")
    #expect(try scene.client.get("radio", "Reason") == #""failed""#)
    #expect(try scene.client.get("radio", "ReasonText").utf8.count < 5000)
  }

  @Test("a service that takes the Set and ignores it ends in TimedOut")
  func ignored() throws {
    let scene = try BackendScene(["radio": Self.impatient])
    let service = try scene.service(Self.service + ["answer Set ignore"])
    try scene.client.read("radio", until: "off")
    let answer = try scene.client.setOn("radio", true)
    #expect(answer.hasPrefix("error org.toggled.Error.TimedOut "), "\(answer)")
    try scene.client.read("radio", until: "off")
    #expect(!scene.client.announced("radio", "State").contains(#""on""#))
    withExtendedLifetime(service) {}
  }

  @Test("seventy rows on a service that hangs do not keep another service waiting")
  func starvation() throws {
    let lamp = Self.service.map { $0.replacing("Radio", with: "Lamp") }
    var rows = ["lamp": Self.row().replacing("Radio", with: "Lamp")]
    for index in 0..<70 {
      rows["radio\(index)"] = Self.row().replacing("Path=/radio", with: "Path=/radio\(index)")
    }
    let scene = try BackendScene(rows)
    let hung = try scene.service(["answer GetAll never", "own org.example.Radio"])
    try hung.waitForCall("GetAll")
    let service = try scene.service(lamp)
    try scene.client.await("lamp", "off")
    #expect(try scene.client.setOn("lamp", true) == "ok [true]")
    withExtendedLifetime(service) {}
  }
}
