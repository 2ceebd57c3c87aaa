// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@Suite("a group of rows of other backends")
struct BackendGroupTests {
  private static let names = ["a", "b", "c"]

  private static func row(_ name: String) -> String {
    """
    [Backend]
    Type=dbus
    Service=org.example.Lamps
    Path=/lamps/\(name)
    Interface=org.example.Lamp1
    Property=Lit
    """
  }

  private static func rows(_ group: String = "Rows=a;b;c;") -> [String: String] {
    var rows = ["all": "[Backend]\nType=group\n\(group)\n"]
    for name in names { rows[name] = row(name) }
    return rows
  }

  private static let service =
    names.map { "property /lamps/\($0) org.example.Lamp1 Lit b false" } + ["own org.example.Lamps"]

  private static func lit(_ name: String, _ on: Bool) -> String {
    "change /lamps/\(name) org.example.Lamp1 Lit \(on)"
  }

  @Test("follows its members as they change, fail, go and come back")
  func follows() throws {
    let scene = try BackendScene(Self.rows())
    var service: SceneService? = try scene.service(Self.service)
    try scene.client.await("all", "off")
    try service?.tell(Self.lit("a", true))
    try scene.client.await("all", "mixed")
    try service?.tell(Self.lit("b", true), Self.lit("c", true))
    try scene.client.await("all", "on")
    service = nil
    try scene.client.await("all", ["State": #""unknown""#, "Reason": #""no-service""#])
    #expect(try scene.client.get("all", "IsOn") == "true")
    service = try scene.service(Self.service)
    try scene.client.await("all", "off")
  }

  @Test("a member that flaps back before anyone is told leaves the group right")
  func flappingMember() throws {
    let scene = try BackendScene(Self.rows("Rows=a;b;"))
    let service = try scene.service(Self.service)
    try scene.client.await("all", "off")
    // Two changes of c are told at least 50 ms apart: by then the next of a and b are told at once.
    for on in [true, false] {
      try service.tell(Self.lit("c", on))
      try scene.client.await("c", on ? "on" : "off")
    }
    // a comes on at once; its going is held back, and is not told as it is on again by then.
    try service.tell(
      Self.lit("a", true), Self.lit("a", false), Self.lit("b", true), Self.lit("a", true))
    try scene.client.await("all", "on")
  }

  @Test("is one flip for the caller, and its members are told of before it")
  func oneFlip() throws {
    let scene = try BackendScene(Self.rows())
    let service = try scene.service(Self.service)
    try scene.client.await("all", "off")
    #expect(try scene.client.call("all", "Toggle") == "ok [true]")
    try scene.requireAlive(["a": "on", "b": "on", "c": "on", "all": "on"])
    #expect(scene.client.announced("all", "State") == [#""off""#, #""on""#])
    withExtendedLifetime(service) {}
  }

  @Test("a flip that meets a member on its way elsewhere turns that round")
  func busyMember() throws {
    let scene = try BackendScene(Self.rows())
    let service = try scene.service(Self.service.map { $0.replacing("false", with: "true") })
    try scene.client.await("all", "on")
    try service.tell("answer Set hold")
    let off = try scene.client.startSetOn("a", false)
    try service.waitForCall("Set")
    try scene.client.await("a", ["Target": #""off""#])
    try service.tell(Self.lit("b", false))
    try scene.client.await("all", "mixed")
    let on = try scene.client.startSetOn("all", true)
    try service.waitForCall("Set")
    try service.tell("answer Set normal", "free")
    #expect(try scene.client.wait(on) == "ok [true]")
    #expect(try scene.client.wait(off).hasPrefix("ok "))
    try scene.requireAlive(["a": "on", "b": "on", "c": "on", "all": "on"])
  }

  @Test("a member that refuses leaves the group mixed, and the flip fails in its words")
  func partialFailure() throws {
    let scene = try BackendScene(Self.rows())
    let service = try scene.service(
      Self.service + ["refuse /lamps/b org.example.Error.Stuck 'the bulb is stuck'"])
    try scene.client.await("all", "off")
    let answer = try scene.client.setOn("all", true)
    #expect(answer.hasPrefix("error org.toggled.Error.BackendFailed "), "\(answer)")
    #expect(answer.contains("the bulb is stuck"), "\(answer)")
    try scene.requireAlive(["a": "on", "b": "off", "c": "on", "all": "mixed"])
    withExtendedLifetime(service) {}
  }

  @Test("turning one on turns the others of an exclusive group off, before the answer")
  func exclusive() throws {
    let scene = try BackendScene(Self.rows("Rows=a;b;c;\nExclusive=true"))
    let service = try scene.service(Self.service)
    try scene.client.await("all", "off")
    #expect(try scene.client.setOn("a", true) == "ok [true]")
    #expect(try scene.client.setOn("b", true) == "ok [true]")
    try scene.requireAlive(["a": "off", "b": "on", "c": "off"])
    let refused = try scene.client.setOn("all", true)
    #expect(refused.hasPrefix("error org.freedesktop.DBus.Error.NotSupported "), "\(refused)")
    #expect(try scene.client.setOn("all", false) == "ok [true]")
    try scene.requireAlive(["a": "off", "b": "off", "c": "off", "all": "off"])
    withExtendedLifetime(service) {}
  }

  @Test("members that come and go with their files are followed")
  func files() throws {
    var rows = Self.rows()
    rows["c"] = nil
    let scene = try BackendScene(rows)
    let service = try scene.service(Self.service)
    // A member that is no row is a config error, so the group is not there yet.
    try scene.client.await("a", "off")
    let unknown = try scene.client.get("all", "State")
    #expect(unknown.hasPrefix("error org.freedesktop.DBus.Error.UnknownObject "), "\(unknown)")
    try scene.writeRow("c", Self.row("c"))
    try scene.client.await("all", "off")
    try service.tell(Self.lit("c", true))
    try scene.client.await("all", "mixed")
  }

  @Test("groups that lead to each other are config errors, and other rows go on")
  func cycle() throws {
    let scene = try BackendScene([
      "one": "[Backend]\nType=group\nRows=two;lamp;", "two": "[Backend]\nType=group\nRows=one;",
      "self": "[Backend]\nType=group\nRows=self;", "lamp": "[Backend]\nType=stored",
    ])
    try scene.client.await("lamp", "off")
    for id in ["one", "two", "self"] {
      let answer = try scene.client.get(id, "State")
      #expect(answer.hasPrefix("error org.freedesktop.DBus.Error.UnknownObject "), "\(answer)")
    }
    #expect(try scene.client.setOn("lamp", true) == "ok [true]")
  }

  @Test("groups nest sixteen deep, and a chain of thousands is config errors")
  func deepChain() throws {
    let count = 3000
    var rows = ["g0": "[Backend]\nType=stored"]
    for index in 1...count {
      rows["g\(index)"] = "[Backend]\nType=group\nRows=g\(index - 1);"
    }
    let scene = try BackendScene(rows)
    try scene.client.await("g0", "off")
    #expect(try scene.client.setOn("g0", true) == "ok [true]")
    try scene.requireAlive(["g0": "on", "g16": "on"])
    #expect(try scene.client.setOn("g16", false) == "ok [true]")
    try scene.requireAlive(["g0": "off", "g8": "off", "g16": "off"])
    for index in [17, count] {
      let answer = try scene.client.setOn("g\(index)", true)
      #expect(answer.hasPrefix("error org.freedesktop.DBus.Error.UnknownObject "), "\(answer)")
    }
  }
}
