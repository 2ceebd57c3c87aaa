// SPDX-License-Identifier: MIT

import DBusTypes
import System
import TestSupport
import Testing

/// What happens when logind says that the machine woke up, with python-dbusmock's model of it.
@MainActor
@Suite("A machine that sleeps", .serialized)
struct DaemonSleepTests {
  private static let logind = "org.freedesktop.login1"
  private static let radio = "/radio org.example.Radio1 Powered"
  private static let service = ["property \(radio) b false", "own org.example.Radio"]

  private static func row(_ bus: Stage.Scope) -> String {
    RowText.header("Radio", "Bus=\(bus.rawValue)") + """
      [Backend]
      Type=dbus
      Service=org.example.Radio
      Path=/radio
      Interface=org.example.Radio1
      Property=Powered

      """
  }

  /// A system daemon with a radio's row and an airplane switch, and a logind beside it.
  private func serveSystem() throws -> (Stage, SystemServices, SceneService, Peer) {
    let stage = try Stage(
      .system,
      [
        "radio.row": Self.row(.system),
        "plane.row": "[Row]\nTitle=P\nBus=system\n[Backend]\nType=airplane\nMembers=radio\n",
      ])
    let services = try SystemServices(on: stage.bus)
    let logind = try services.mock("logind", Self.logind)
    services.keep(logind)
    let service = try SceneService(stage.bus.address, Self.service)
    try stage.start()
    let peer = try Peer(stage)
    try peer.wait("the radio") { (try? peer.state("radio")) == "off" }
    return (stage, services, service, peer)
  }

  private func reads(_ service: SceneService) -> Int {
    service.countCalls("Get") + service.countCalls("GetAll")
  }

  @Test(
    "every row of the system's daemon is read again when it wakes up, and not as it falls asleep")
  func system() throws {
    let (_, services, service, peer) = try serveSystem()
    let before = reads(service)
    try service.tell("change \(Self.radio) true none")
    try services.prepareForSleep(true)
    #expect(try peer.state("radio") == "off")
    try services.prepareForSleep(false)
    try peer.wait(where: { $0.hasPrefix("rows/radio Row1 IsOn=true State='on'") })
    #expect(reads(service) == before + 1)
  }

  @Test("a logind that is started anew is heard too")
  func logindRestarts() throws {
    let (_, services, service, peer) = try serveSystem()
    try services.endAll()
    services.keep(try services.mock("logind", Self.logind))
    try service.tell("change \(Self.radio) true none")
    try services.prepareForSleep(false)
    try peer.wait(where: { $0.hasPrefix("rows/radio Row1 IsOn=true State='on'") })
  }

  @Test("every row of a session's daemon is read again, where it is on the system's bus anyway")
  func session() throws {
    let services = try SystemServices()
    services.keep(try services.mock("logind", Self.logind))
    let other = try SceneService(services.bus.address, Self.service)
    let scene = try BackendScene(
      [
        "far": Self.row(.session).replacing("Path=", with: "Bus=system\nPath="),
        "near": Self.row(.session),
      ], environment: services.environment)
    let service = try scene.service(Self.service)
    try scene.client.await("far", "off")
    try scene.client.await("near", "off")
    for service in [service, other] { try service.tell("change \(Self.radio) true none") }
    try services.prepareForSleep(false)
    try scene.client.await("far", "on")
    try scene.client.await("near", "on")
  }

  @Test("a session's daemon without rows of the system's bus makes no connection for it")
  func noConnection() throws {
    let services = try SystemServices()
    services.keep(try services.mock("logind", Self.logind))
    let names = "call org.freedesktop.DBus / org.freedesktop.DBus ListNames '' '[]' 0"
    let before = try services.client.wait(services.client.start(names))
    let scene = try BackendScene(["near": Self.row(.session)], environment: services.environment)
    let service = try scene.service(Self.service)
    try scene.client.await("near", "off")
    #expect(try services.client.wait(services.client.start(names)) == before)
    withExtendedLifetime(service) {}
  }

  @Test("a flip that the machine slept through comes out as a read on waking up finds it")
  func flip() throws {
    let (_, services, service, peer) = try serveSystem()
    try service.tell("answer Set hold", "signals none")
    let flip = peer.sendSetOn("radio", true)
    try peer.wait(for: "rows/radio Row1 Target='on'")
    try service.waitForCall("Set")
    // It came about, and neither the answer nor a signal will ever say so.
    try service.tell("change \(Self.radio) true none")
    try services.prepareForSleep(true)
    try services.prepareForSleep(false)
    #expect(try peer.wait(for: flip) == [.boolean(true)])
    #expect(try peer.state("radio") == "on")
  }

  @Test("a radio that comes on when the machine wakes up in airplane mode is turned off, once")
  func airplane() throws {
    let (_, services, service, peer) = try serveSystem()
    try peer.setOn("radio", true)
    try peer.setOn("plane", true)
    try services.prepareForSleep(true)
    try services.prepareForSleep(false)
    try peer.settle()
    for (number, state) in [(3, "off"), (3, "on")] {
      try service.tell("change \(Self.radio) true")
      try peer.settle()
      try peer.wait("the radio to be \(state)") { (try? peer.state("radio")) == state }
      #expect(service.countCalls("Set") == number)
    }
    #expect(try peer.state("plane") == "on")
  }
}
