// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// Implements: every object of a service that has the interface, wherever it is.
@Suite("a dbus row of all objects with an interface")
struct BackendObjectsTests {
  private static func adapter(_ index: Int, _ on: Bool) -> String {
    "property /radio/hci\(index) org.example.Adapter1 Powered b \(on)"
  }

  private static let name = "own org.example.Radio"

  private func row(_ more: String = "") -> String {
    """
    [Backend]
    Type=dbus
    Service=org.example.Radio
    Implements=org.example.Adapter1
    Property=Powered
    \(more)
    """
  }

  @Test("on is all on, off is all off, some is mixed and none is no-device")
  func states() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(
      [Self.adapter(0, false), Self.adapter(1, false), Self.name])
    let change = { (index: Int, on: Bool) in
      "change /radio/hci\(index) org.example.Adapter1 Powered \(on)"
    }
    try scene.client.await("radio", "off")
    try service.tell(change(0, true))
    try scene.client.await("radio", "mixed")
    #expect(try scene.client.get("radio", "IsOn") == "false")
    try service.tell(change(1, true))
    try scene.client.await("radio", "on")
    try service.tell("remove /radio/hci0")
    try service.tell("remove /radio/hci1")
    try scene.client.await("radio", ["Reason": #""no-device""#])
    #expect(try scene.client.get("radio", "State") == #""unknown""#)
    #expect(try scene.client.get("radio", "IsOn") == "true")
    let answer = try scene.client.setOn("radio", false)
    #expect(answer.hasPrefix("error org.toggled.Error.Unavailable "), "\(answer)")
  }

  @Test("an adapter that comes or goes changes the row")
  func adaptersComeAndGo() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service([Self.adapter(0, true), Self.name])
    try scene.client.await("radio", "on")
    try service.tell(Self.adapter(1, false), "add /radio/hci1")
    try scene.client.await("radio", "mixed")
    try service.tell("remove /radio/hci0")
    try scene.client.await("radio", "off")
    try service.tell("add /radio/hci0", "remove /radio/hci1")
    try scene.client.await("radio", "on")
  }

  @Test("an object that moves to another path keeps the row, signals or none")
  func moves() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service([Self.adapter(0, true), Self.name])
    try scene.client.await("radio", "on")
    try service.tell("remove /radio/hci0", Self.adapter(7, false), "add /radio/hci7")
    try scene.client.await("radio", "off")
    #expect(try scene.client.setOn("radio", true) == "ok [true]")
    #expect(try service.waitForCall("Set").hasPrefix("call Set /radio/hci7 "))
    try service.tell("remove /radio/hci7 quietly", Self.adapter(8, false))
    #expect(try scene.client.call("radio", "Refresh") == "ok []")
    try scene.requireAlive(["radio": "off"])
    #expect(try scene.client.setOn("radio", true) == "ok [true]")
    #expect(try service.waitForCall("Set").hasPrefix("call Set /radio/hci8 "))
  }

  @Test("a flip of a mixed row sets only those that are not so already")
  func mixedFlip() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service([Self.adapter(0, true), Self.adapter(1, false), Self.name])
    try scene.client.await("radio", "mixed")
    #expect(try scene.client.call("radio", "Toggle") == "ok [true]")
    #expect(try service.waitForCall("Set").hasPrefix("call Set /radio/hci1 "))
    #expect(service.countCalls("Set") == 1)
    #expect(try scene.client.setOn("radio", false) == "ok [true]")
    try scene.requireAlive(["radio": "off"])
    #expect(service.countCalls("Set") == 3)
    // Both were told of one after the other, and the row never passed through mixed again.
    #expect(scene.client.announced("radio", "State") == [#""mixed""#, #""on""#, #""off""#])
  }

  @Test("one object that refuses leaves the row mixed, and the flip fails in its words")
  func partialFailure() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service([
      Self.adapter(0, false), "property /radio/fixed org.example.Adapter1 Powered b false",
      "refuse /radio/fixed org.example.Error.Busy 'firmware update'", Self.name,
    ])
    try scene.client.await("radio", "off")
    let answer = try scene.client.setOn("radio", true)
    #expect(answer.hasPrefix("error org.toggled.Error.BackendFailed "), "\(answer)")
    #expect(answer.contains("firmware update"), "\(answer)")
    try scene.requireAlive(["radio": "mixed"])
    withExtendedLifetime(service) {}
  }

  @Test("objects without the interface do not count, and their coming asks nothing")
  func others() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service([
      Self.adapter(0, true), "property /radio/device org.example.Device1 Powered b false",
      Self.name,
    ])
    try scene.client.await("radio", "on")
    try service.tell("add /radio/device", "remove /radio/device")
    try service.tell("change /radio/hci0 org.example.Adapter1 Powered false")
    try scene.client.await("radio", "off")
    #expect(service.countCalls("GetManagedObjects") == 1)
  }

  @Test("a property of another interface than the one that counts")
  func otherInterface() throws {
    let scene = try BackendScene(["radio": row("Interface=org.example.Power1")])
    let service = try scene.service([
      Self.adapter(0, false), "property /radio/hci0 org.example.Power1 Powered b true",
      "property /radio/lone org.example.Power1 Powered b false", Self.name,
    ])
    try scene.client.await("radio", "on")
    try service.tell("change /radio/lone org.example.Power1 Powered true")
    try service.tell("change /radio/hci0 org.example.Power1 Powered false")
    try scene.client.await("radio", "off")
  }

  @Test("a flip starts a service that is not running, and finds its objects")
  func activation() throws {
    let scene = try BackendScene(["radio": row()]) {
      try $0.addActivatable("org.example.Radio", [Self.adapter(0, false), Self.name])
    }
    try scene.client.await("radio", ["Reason": #""no-service""#])
    // The reading that is under way must not keep the flip from starting it.
    let refresh = try scene.client.startCall("radio", "Refresh")
    #expect(try scene.client.setOn("radio", true) == "ok [true]")
    #expect(try scene.client.wait(refresh) == "ok []")
    try scene.requireAlive(["radio": "on"])
  }

  @Test("a service that can't list its objects makes the row unknown until it can")
  func brokenManager() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service([
      "answer GetManagedObjects error org.freedesktop.DBus.Error.UnknownMethod no",
      Self.adapter(0, true), Self.name,
    ])
    try scene.client.await("radio", ["Reason": #""not-found""#])
    for shape in ["s '[\"x\"]'", "a{oa{sa{ss}}} '[{}]'", "a{oa{ss}} '[{\"/a\":{\"b\":\"c\"}}]'"] {
      try service.tell("answer GetManagedObjects body \(shape)")
      #expect(try scene.client.call("radio", "Refresh") == "ok []")
      try scene.requireAlive(["radio": "unknown"])
    }
    // A signal of one of its objects says that it is there after all.
    try service.tell(
      "answer GetManagedObjects normal", "change /radio/hci0 org.example.Adapter1 Powered true")
    try scene.client.await("radio", "on")
  }

  @Test("an object under a fixed path that goes and returns is followed")
  func fixedPath() throws {
    let fixed = """
      [Backend]
      Type=dbus
      Service=org.example.Radio
      Path=/radio/hci0
      Interface=org.example.Adapter1
      Property=Powered
      """
    let scene = try BackendScene(["radio": fixed])
    let service = try scene.service([Self.adapter(0, true), Self.name])
    try scene.client.await("radio", "on")
    try service.tell("remove /radio/hci0")
    try scene.client.await("radio", ["Reason": #""not-found""#])
    #expect(try scene.client.get("radio", "IsOn") == "true")
    try service.tell("add /radio/hci0")
    try scene.client.await("radio", "on")
    try service.tell("remove /radio/hci0 quietly")
    #expect(try scene.client.call("radio", "Refresh") == "ok []")
    #expect(try scene.client.get("radio", "Reason") == #""not-found""#)
  }
}
