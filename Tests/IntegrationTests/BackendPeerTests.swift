// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import System
import TestSupport
import Testing

/// Services as they are, or as python-dbusmock models them, on a bus like the system's.
@Suite("dbus rows of services in the wild")
struct BackendPeerTests {
  private let system: SystemServices

  init() throws {
    system = try SystemServices()
  }

  @Test("power-profiles-daemon follows the row, and the row follows it")
  func powerProfiles() throws {
    let polkit = try system.mock("polkitd", "org.freedesktop.PolicyKit1")
    try system.call(
      "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
      "org.freedesktop.DBus.Mock", "AllowUnknown", "b", "[true]")
    let profiles = try Program(
      ["/usr/libexec/power-profiles-daemon"], environment: system.bus.systemEnvironment)
    try system.client.awaitOwner("net.hadess.PowerProfiles")
    let row = """
      [Backend]
      Type=dbus
      Bus=system
      Service=net.hadess.PowerProfiles
      Path=/net/hadess/PowerProfiles
      Interface=net.hadess.PowerProfiles
      Property=ActiveProfile
      On='power-saver'
      Off='balanced';'performance'
      """
    let scene = try BackendScene(["saver": row], environment: system.environment)
    try scene.client.await("saver", "off")
    #expect(try scene.client.setOn("saver", true) == "ok [true]")
    let get = """
      call net.hadess.PowerProfiles /net/hadess/PowerProfiles \
      org.freedesktop.DBus.Properties Get ss \
      '["net.hadess.PowerProfiles","ActiveProfile"]' 0
      """
    #expect(try system.client.wait(system.client.start(get)) == #"ok [["s", "power-saver"]]"#)
    // A change behind our back.
    try system.call(
      "net.hadess.PowerProfiles", "/net/hadess/PowerProfiles", "org.freedesktop.DBus.Properties",
      "Set", "ssv", #"["net.hadess.PowerProfiles","ActiveProfile",["s","balanced"]]"#)
    try scene.client.await("saver", "off")
    try profiles.send(15)
    try profiles.waitForExit()
    try scene.client.await("saver", ["Reason": #""no-service""#])
    #expect(try scene.client.get("saver", "IsOn") == "false")
    withExtendedLifetime(polkit) {}
  }

  @Test("the adapters of BlueZ are one row")
  func bluez() throws {
    let scene = try BackendScene(
      ["bluetooth": MockedBlueZ.row], environment: system.environment)
    try scene.client.await("bluetooth", ["Reason": #""no-service""#])
    let bluez = try MockedBlueZ(system)
    try scene.client.await("bluetooth", ["Reason": #""no-device""#])
    try bluez.add("hci0")
    try scene.client.await("bluetooth", "on")
    #expect(try scene.client.setOn("bluetooth", false) == "ok [true]")
    try bluez.add("hci1")
    try scene.client.await("bluetooth", "mixed")
    #expect(try scene.client.setOn("bluetooth", false) == "ok [true]")
    try bluez.power("hci1", true)
    try scene.client.await("bluetooth", "mixed")
    // A device is no adapter.
    try system.call(
      "org.bluez", "/", "org.bluez.Mock", "AddDevice", "sss",
      #"["hci0","11:22:33:44:55:66","keyboard"]"#)
    try bluez.remove("hci0")
    try scene.client.await("bluetooth", "on")
    try bluez.remove("hci1")
    try scene.client.await("bluetooth", ["Reason": #""no-device""#])
  }

  @Test("NetworkManager's Wi-Fi switch")
  func networkManager() throws {
    let manager = try system.mock("networkmanager", "org.freedesktop.NetworkManager")
    let row = """
      [Backend]
      Type=dbus
      Bus=system
      Service=org.freedesktop.NetworkManager
      Path=/org/freedesktop/NetworkManager
      Interface=org.freedesktop.NetworkManager
      Property=WirelessEnabled
      """
    let scene = try BackendScene(["wifi": row], environment: system.environment)
    try scene.client.await("wifi", "on")
    #expect(try scene.client.call("wifi", "Toggle") == "ok [false]")
    #expect(try scene.client.setOn("wifi", true) == "ok [true]")
    withExtendedLifetime(manager) {}
  }

  @Test("the time service's NTP switch, which takes a method with an argument of its own")
  func timedate() throws {
    let service = try system.mock("timedated", "org.freedesktop.timedate1")
    let row = """
      [Backend]
      Type=dbus
      Bus=system
      Service=org.freedesktop.timedate1
      Path=/org/freedesktop/timedate1
      Interface=org.freedesktop.timedate1
      Property=NTP
      SetMethod=SetNTP
      SetArguments=(%v, true)
      """
    let scene = try BackendScene(["clock": row], environment: system.environment)
    try scene.client.await("clock", "on")
    #expect(try scene.client.setOn("clock", false) == "ok [true]")
    #expect(try scene.client.setOn("clock", true) == "ok [true]")
    withExtendedLifetime(service) {}
  }

  @Test("logind lists what is inhibited while the row is on and the daemon lives")
  func logind() throws {
    let mock = try system.mock("logind", "org.freedesktop.login1")
    let scene = try BackendScene(
      ["awake": "[Backend]\nType=inhibit\nWhat=sleep;idle\nWho=me\nWhy=a test\nMode=block"],
      environment: system.environment)
    func inhibitors() throws -> String {
      let object = "/org/freedesktop/login1 org.freedesktop.login1.Manager"
      return try system.client.wait(
        system.client.start("call org.freedesktop.login1 \(object) ListInhibitors '' '[]' 0"))
    }
    try scene.client.await("awake", "off")
    for isLast in [false, true] {
      #expect(try scene.client.setOn("awake", true) == "ok [true]")
      let listed = try inhibitors()
      #expect(listed.hasPrefix(#"ok [[["sleep:idle", "me", "a test", "block", "#), "\(listed)")
      if isLast {
        try scene.daemon?.send(9)
        try scene.daemon?.waitForExit()
      } else {
        #expect(try scene.client.setOn("awake", false) == "ok [true]")
      }
      // The mock sees the pipe's end only once it has closed a copy of its own, when it is idle.
      let end = EventLoop.now + patience
      while try inhibitors() != "ok [[]]" {
        try #require(EventLoop.now < end, "it is still listed")
      }
    }
    withExtendedLifetime(mock) {}
  }

  @Test("a session's daemon without a system bus goes on with its other rows")
  func noSystemBus() throws {
    let row = """
      [Backend]
      Type=dbus
      Bus=system
      Service=org.bluez
      Path=/
      Interface=org.bluez.Adapter1
      Property=Powered
      """
    let scene = try BackendScene(
      ["bluetooth": row, "lamp": "[Backend]\nType=stored"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"])
    try scene.client.await("bluetooth", ["Reason": #""no-service""#])
    #expect(try scene.client.setOn("lamp", true) == "ok [true]")
    let answer = try scene.client.setOn("bluetooth", true)
    #expect(answer.hasPrefix("error org.toggled.Error.Unavailable "), "\(answer)")
    try scene.requireAlive(["lamp": "on", "bluetooth": "unknown"])
  }

  private static let adapterRow = """
    [Backend]
    Type=dbus
    Bus=system
    Service=org.bluez
    Path=/radio
    Interface=org.bluez.Adapter1
    Property=Powered
    """

  @Test("a session's daemon survives a restart of the system bus, and its rows come back")
  func restartedSystemBus() throws {
    let scene = try BackendScene(
      ["bluetooth": Self.adapterRow, "lamp": "[Backend]\nType=stored\n"],
      environment: system.environment)
    let commands = ["property /radio org.bluez.Adapter1 Powered b true", "own org.bluez"]
    var service: SceneService? = try SceneService(system.bus.address, commands)
    try scene.client.await("bluetooth", "on")
    try system.bus.stop()
    try scene.client.await("bluetooth", ["Reason": #""no-service""#, "Available": "false"])
    #expect(try scene.client.get("bluetooth", "IsOn") == "true")
    #expect(
      try scene.client.get("bluetooth", "ReasonText").contains("the system bus"), "\(scene.log)")
    #expect(try scene.client.setOn("lamp", true) == "ok [true]")
    service = nil
    try system.bus.restart()
    service = try SceneService(system.bus.address, commands)
    try scene.client.await("bluetooth", "on")
    #expect(scene.client.announced("bluetooth", "IsOn") == ["true"])
    withExtendedLifetime(service) {}
  }

  @Test(
    "a system bus that never speaks, or has its backlog full, keeps nothing else waiting",
    arguments: [false, true])
  func silentSystemBus(isFull: Bool) throws {
    let files = try TemporaryDirectory()
    let silent = try BareSocket(files.path("bus"), isFull: isFull)
    let scene = try BackendScene(
      [
        "bluetooth": "[Row]\nTitle=Bluetooth\nTimeout=0.3\n" + Self.adapterRow,
        "lamp": "[Backend]\nType=stored\n",
      ], environment: ["DBUS_SYSTEM_BUS_ADDRESS": silent.address])
    // It waits for the bus, and the daemon for neither.
    #expect(try scene.client.get("bluetooth", "State") == #""unknown""#)
    #expect(try scene.client.setOn("lamp", true) == "ok [true]")
    let answer = try scene.client.setOn("bluetooth", true)
    #expect(answer.hasPrefix("error org.toggled.Error."), "\(answer)")
    try scene.requireAlive(["lamp": "on", "bluetooth": "unknown"])
    try scene.daemon?.send(SIGTERM)
    #expect(try scene.daemon?.waitForExit() == .exited(0), "\(scene.log)")
    withExtendedLifetime(silent) {}
  }
}
