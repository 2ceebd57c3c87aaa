// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// Airplane mode over radios of several backends, through the bus and from outside.
@Suite("airplane mode")
struct DaemonAirplaneTests {
  private static let name = "org.example.Radios"

  private static func radio(_ name: String) -> String {
    """
    [Backend]
    Type=dbus
    Service=\(Self.name)
    Path=/radios/\(name)
    Interface=org.example.Radio1
    Property=Powered
    """
  }

  private static func row(_ members: String) -> String {
    "[Backend]\nType=airplane\nMembers=\(members)\n"
  }

  /// A service with Wi-Fi and Bluetooth, and perhaps more to say to it.
  private static func service(wifi: Bool = true, bluetooth: Bool = true) -> [String] {
    [
      "property /radios/wifi org.example.Radio1 Powered b \(wifi)",
      "property /radios/bluetooth org.example.Radio1 Powered b \(bluetooth)",
      "own \(name)",
    ]
  }

  private static func power(_ name: String, _ on: Bool) -> String {
    "change /radios/\(name) org.example.Radio1 Powered \(on)"
  }

  /// Two radios of a service, one in a file, and one that the daemon keeps itself.
  private func scene() throws -> BackendScene {
    let rows = [
      "wifi": Self.radio("wifi"), "bluetooth": Self.radio("bluetooth"),
      "gps": "[Backend]\nType=stored",
      "plane": Self.row("wifi;bluetooth;gps;modem"),
    ]
    return try BackendScene(rows) { scene in
      let path = try scene.files.write("1\n", to: "modem")
      try scene.writeRow("modem", "[Backend]\nType=file\nPath=\(path)")
    }
  }

  private func awaitAll(_ scene: BackendScene, _ ids: String..., on: Bool) throws {
    for id in ids { try scene.client.await(id, on ? "on" : "off") }
  }

  private func modem(_ scene: BackendScene) throws -> String {
    String(decoding: try Files.read(scene.files.path("modem"), limit: 8), as: UTF8.self)
  }

  @Test("turns off what is on, whatever is behind it, and brings back that alone")
  func onAndOff() throws {
    let scene = try scene()
    let service = try scene.service(Self.service(bluetooth: false))
    try awaitAll(scene, "wifi", "modem", on: true)
    try scene.client.await("bluetooth", "off")
    #expect(try scene.client.setOn("plane", true) == "ok [true]")
    // Each radio was told of before the caller was answered.
    try scene.requireAlive(
      ["plane": "on", "wifi": "off", "bluetooth": "off", "gps": "off", "modem": "off"])
    #expect(try modem(scene) == "0\n")
    #expect(try scene.client.call("plane", "Toggle") == "ok [false]")
    try scene.requireAlive(
      ["plane": "off", "wifi": "on", "bluetooth": "off", "gps": "off", "modem": "on"])
    #expect(try modem(scene) == "1\n")
    #expect(scene.client.announced("plane", "State") == [#""off""#, #""on""#, #""off""#])
    #expect(service.countCalls("Set") == 2)
  }

  @Test("turning Bluetooth off, or every radio, is not airplane mode, and one click undoes nothing")
  func notAirplane() throws {
    let scene = try scene()
    let service = try scene.service(Self.service())
    for id in ["wifi", "bluetooth", "modem"] {
      try scene.client.await(id, "on")
      #expect(try scene.client.setOn(id, false) == "ok [true]")
    }
    // Off by their own program too.
    try service.tell(Self.power("wifi", true), Self.power("wifi", false))
    try scene.requireAlive(["plane": "off"])
    #expect(scene.client.announced("plane", "IsOn") == [])
    // On by hand, and off for all: each does what it says, at the first click.
    #expect(try scene.client.setOn("wifi", true) == "ok [true]")
    #expect(try scene.client.call("plane", "Toggle") == "ok [true]")
    try scene.requireAlive(["plane": "on", "wifi": "off"])
  }

  @Test("a radio that is turned on by hand meanwhile leaves airplane mode on, and is its user's")
  func turnedOnByHand() throws {
    let scene = try scene()
    let service = try scene.service(Self.service())
    try awaitAll(scene, "wifi", "bluetooth", "modem", on: true)
    #expect(try scene.client.setOn("plane", true) == "ok [true]")
    #expect(try scene.client.setOn("wifi", true) == "ok [true]")
    try service.tell(Self.power("bluetooth", true))
    try scene.client.await("bluetooth", "on")
    try scene.requireAlive(["plane": "on", "wifi": "on"])
    // Off again, by hand and by another program: so they stay.
    #expect(try scene.client.setOn("wifi", false) == "ok [true]")
    try service.tell(Self.power("bluetooth", false))
    try scene.client.await("bluetooth", "off")
    #expect(try scene.client.setOn("plane", false) == "ok [true]")
    try scene.requireAlive(["plane": "off", "wifi": "off", "bluetooth": "off", "modem": "on"])
  }

  @Test("shows that it is being turned on until the last radio is off")
  func target() throws {
    let scene = try scene()
    let service = try scene.service(Self.service() + ["answer Set/Powered hold", "signals none"])
    try awaitAll(scene, "wifi", "bluetooth", "modem", on: true)
    let flip = try scene.client.startSetOn("plane", true)
    try service.waitForCall("Set")
    try scene.client.await("plane", ["Target": #""on""#])
    try scene.requireAlive(["plane": "off", "bluetooth": "on"])
    try service.waitForCall("Set")
    try service.tell("answer Set/Powered normal", "free")
    #expect(try scene.client.wait(flip) == "ok [true]")
    #expect(try scene.client.get("plane", "Target") == #""""#)
  }

  @Test("a radio that refuses to go off is named, and the others are on again")
  func refusal() throws {
    let scene = try scene()
    let refusal = "refuse /radios/bluetooth org.example.Error.Stuck 'the driver is stuck'"
    let service = try scene.service(Self.service() + [refusal])
    try awaitAll(scene, "wifi", "bluetooth", "modem", on: true)
    let answer = try scene.client.setOn("plane", true)
    #expect(answer.hasPrefix("error org.toggled.Error.BackendFailed "), "\(answer)")
    #expect(answer.contains("bluetooth can't be turned off: "), "\(answer)")
    #expect(answer.contains("the driver is stuck"), "\(answer)")
    try scene.requireAlive(["plane": "off", "wifi": "on", "bluetooth": "on", "modem": "on"])
    #expect(try modem(scene) == "1\n")
    withExtendedLifetime(service) {}
  }

  @Test("a radio that can't be turned on again is named, and airplane mode is left all the same")
  func cannotRestore() throws {
    let scene = try scene()
    let service = try scene.service(Self.service())
    try awaitAll(scene, "wifi", "bluetooth", "modem", on: true)
    #expect(try scene.client.setOn("plane", true) == "ok [true]")
    try service.tell("refuse /radios/wifi org.example.Error.Blocked 'its hardware switch is off'")
    let answer = try scene.client.setOn("plane", false)
    #expect(answer.hasPrefix("error org.toggled.Error.BackendFailed "), "\(answer)")
    #expect(answer.contains("wifi can't be turned on: "), "\(answer)")
    #expect(answer.contains("its hardware switch is off"), "\(answer)")
    try scene.client.await("plane", "off")
    try scene.requireAlive(["plane": "off", "wifi": "off", "bluetooth": "on", "modem": "on"])
  }

  @Test("a service that is started anew and powers its radios is put right once, and then has it")
  func serviceRestarts() throws {
    let scene = try scene()
    var service: SceneService? = try scene.service(Self.service())
    try awaitAll(scene, "wifi", "bluetooth", "modem", on: true)
    #expect(try scene.client.setOn("plane", true) == "ok [true]")
    withExtendedLifetime(service) {}
    service = nil
    try scene.client.await("wifi", ["Reason": #""no-service""#])
    service = try scene.service(Self.service())
    try scene.client.await("wifi", "on", "off")
    try scene.client.await("bluetooth", "off")
    for id in ["wifi", "bluetooth"] {
      #expect(scene.client.announced(id, "IsOn").suffix(2) == ["true", "false"])
    }
    // Somebody powers one of them after that, which is meant.
    try service?.tell(Self.power("wifi", true))
    try scene.client.await("wifi", "on")
    #expect(try scene.client.setOn("plane", false) == "ok [true]")
    try scene.requireAlive(["plane": "off", "wifi": "on", "bluetooth": "on", "modem": "on"])
    #expect(service?.countCalls("Set") == 3)
  }

  @Test("a radio that is away when airplane mode ends is on again when it is back")
  func owed() throws {
    let scene = try scene()
    var service: SceneService? = try scene.service(Self.service(bluetooth: false))
    try awaitAll(scene, "wifi", "modem", on: true)
    #expect(try scene.client.setOn("plane", true) == "ok [true]")
    withExtendedLifetime(service) {}
    service = nil
    try scene.client.await("wifi", ["Reason": #""no-service""#])
    #expect(try scene.client.setOn("plane", false) == "ok [true]")
    try scene.requireAlive(["plane": "off", "wifi": "unknown", "modem": "on"])
    service = try scene.service(Self.service(wifi: false, bluetooth: false))
    try service?.waitForCall("Set")
    try awaitAll(scene, "wifi", "modem", on: true)
    try scene.client.await("bluetooth", "off")
    try scene.requireAlive(["plane": "off", "wifi": "on", "bluetooth": "off"])
  }

  @Test("radios that are not there are passed over; with none at all it says why")
  func absent() throws {
    let scene = try BackendScene([
      "wifi": Self.radio("wifi"), "bluetooth": Self.radio("bluetooth"),
      "plane": Self.row("wifi;bluetooth"),
    ])
    try scene.client.await("plane", ["Reason": #""no-service""#, "Available": "false"])
    #expect(try scene.client.get("plane", "State") == #""off""#)
    let text = try scene.client.get("plane", "ReasonText")
    #expect(text.contains("no radio is there; wifi: "), "\(text)")
    let service = try scene.service(Self.service())
    try scene.client.await("plane", ["Reason": #""""#, "Available": "true"])
    withExtendedLifetime(service) {}
  }
}
