// SPDX-License-Identifier: MIT

import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// Airplane mode through restarts of the daemon, and adapters that are pulled out and put back.
@MainActor
@Suite("airplane mode that lasts", .serialized)
struct DaemonAirplaneReturnTests {
  // MARK: The daemon

  private static let plane =
    RowText.header("Plane") + "[Backend]\nType=airplane\nMembers=wifi;modem\n"

  /// A daemon with two radios that are files, and are on.
  private func serve() throws -> (Stage, Peer) {
    let stage = try Stage()
    for name in ["wifi", "modem"] {
      let path = try stage.directory.write("1\n", to: name)
      try stage.write("\(name).row", RowText.file(path))
    }
    try stage.write("plane.row", Self.plane)
    try stage.start()
    return (stage, try Peer(stage))
  }

  private func radio(_ stage: Stage, _ name: String) throws -> String {
    String(decoding: try Files.read(stage.directory.path(name), limit: 8), as: UTF8.self)
  }

  private func statuses(_ stage: Stage) throws -> [FileStatus] {
    try ["state/plane.airplane", "wifi", "modem"].map { try Files.status(stage.directory.path($0)) }
  }

  @Test("a daemon that is killed in the middle of a flip leaves the rest of it to the next one")
  func killedHalfway() throws {
    let stage = try Stage()
    let wifi = try stage.directory.write("1\n", to: "wifi")
    try stage.write("wifi.row", RowText.file(wifi))
    // Its program gets nowhere as long as there is no file `go`.
    let script = try stage.directory.write(
      """
      #!/bin/sh
      cd "$1" || exit
      [ -e go ] || { echo >waiting; exec sleep 60; }
      echo off >modem
      """, to: "turn_off", mode: 0o755)
    let modem = try stage.directory.write("on\n", to: "modem")
    try stage.write(
      "modem.row",
      RowText.header("Modem") + """
        [Backend]
        Type=command
        State=cat \(modem)
        On=true
        Off=\(script) \(stage.directory.path)
        """)
    try stage.write("plane.row", Self.plane)
    try stage.start()
    let peer = try Peer(stage)
    let call = peer.sendSetOn("plane", true)
    try peer.wait("the modem's turn") { Files.exists(stage.directory.path("waiting")) }
    try peer.wait("Wi-Fi to be off") { (try? radio(stage, "wifi")) == "0\n" }
    try stage.stop(SIGKILL)
    try peer.wait("the answer") { call.outcome != nil }
    try stage.directory.write("", to: "go")
    try stage.start()
    let next = try Peer(stage)
    #expect(try next.state("plane") == "on")
    try next.wait("the modem to be off") { (try? next.state("modem")) == "off" }
    #expect(try radio(stage, "wifi") == "0\n")
    // It is finished: what is turned on from here on is somebody's wish.
    try stage.stop()
    #expect(try Files.read("\(stage.state)/plane.airplane", limit: 256).starts(with: "on in".utf8))
  }

  @Test("a restart writes nothing, and a switch that was on restores what it turned off before")
  func restart() throws {
    let (stage, peer) = try serve()
    try peer.setOn("modem", false)
    try peer.setOn("plane", true)
    #expect(try radio(stage, "wifi") == "0\n")
    try stage.stop()
    let before = try statuses(stage)
    try stage.start()
    let next = try Peer(stage)
    #expect(try next.state("plane") == "on")
    try next.call("Refresh", of: .row, at: .row("wifi"))
    #expect(try statuses(stage) == before)
    try next.setOn("plane", false)
    #expect(try radio(stage, "wifi") == "1\n")
    #expect(try radio(stage, "modem") == "0\n")
    #expect(try next.state("plane") == "off")
  }

  @Test("a daemon that is killed as soon as it has answered knows it all the same")
  func killed() throws {
    let (stage, peer) = try serve()
    try peer.setOn("plane", true)
    try stage.stop(SIGKILL)
    try stage.start()
    let next = try Peer(stage)
    #expect(try next.state("plane") == "on")
    try next.setOn("plane", false)
    #expect(try radio(stage, "wifi") == "1\n")
    #expect(try radio(stage, "modem") == "1\n")
  }

  @Test("a radio that was turned on while no daemon ran is its user's")
  func touchedWhileDown() throws {
    let (stage, peer) = try serve()
    try peer.setOn("plane", true)
    try stage.stop()
    try stage.directory.write("1\n", to: "wifi")
    try stage.start()
    let next = try Peer(stage)
    #expect(try next.state("wifi") == "on")
    try next.setOn("wifi", false)
    try next.setOn("plane", false)
    #expect(try radio(stage, "wifi") == "0\n")
    #expect(try radio(stage, "modem") == "1\n")
  }

  @Test("a radio that the start of the machine turned on is turned off again, once")
  func reboot() throws {
    let (stage, peer) = try serve()
    try peer.setOn("plane", true)
    try stage.stop()
    // What the daemon wrote before the machine was started anew.
    try stage.directory.write("on in boot another\nmodem\nwifi\n", to: "state/plane.airplane")
    try stage.directory.write("1\n", to: "wifi")
    try stage.start()
    let next = try Peer(stage)
    try next.wait("Wi-Fi to be off") { (try? radio(stage, "wifi")) == "0\n" }
    try next.awaitState("wifi", "off")
    #expect(try next.state("plane") == "on")
    next.forgetJournal()
    try stage.directory.write("1\n", to: "wifi")
    try next.wait(where: { $0.hasPrefix("rows/wifi Row1 IsOn=true") })
    try next.setOn("plane", false)
    #expect(try radio(stage, "modem") == "1\n")
  }

  @Test("a damaged file is kept aside, and airplane mode is unknown until it is flipped")
  func damaged() throws {
    let (stage, peer) = try serve()
    try peer.setOn("plane", true)
    try stage.stop()
    try stage.directory.write("on\nwi", to: "state/plane.airplane")
    try stage.start()
    let next = try Peer(stage)
    #expect(try next.state("plane") == "unknown (unrecognised)")
    #expect(try stage.storedFiles() == ["plane.airplane.damaged"])
    #expect(try radio(stage, "wifi") == "0\n")
    try next.setOn("plane", false)
    #expect(try next.state("plane") == "off")
    // What was lost is not guessed.
    #expect(try radio(stage, "wifi") == "0\n")
  }

  @Test("a changed row file keeps what is remembered, also of a radio that it does not list now")
  func redefined() throws {
    let (stage, peer) = try serve()
    try peer.setOn("plane", true)
    try stage.write("plane.row", Self.plane.replacing("wifi;modem", with: "wifi"))
    try peer.call("Reload", of: .manager, at: .toggled)
    #expect(try peer.state("plane") == "on")
    try stage.write("plane.row", Self.plane.replacing("Title=Plane", with: "Title=Jet"))
    try peer.call("Reload", of: .manager, at: .toggled)
    try peer.setOn("plane", false)
    #expect(try radio(stage, "wifi") == "1\n")
    #expect(try radio(stage, "modem") == "1\n")
  }

  // MARK: Adapters

  private static let airplane = "[Backend]\nType=airplane\nMembers=bluetooth\n"

  private func adapters(_ services: SystemServices) throws -> (BackendScene, MockedBlueZ) {
    let bluez = try MockedBlueZ(services)
    try bluez.add("hci0")
    let scene = try BackendScene(
      ["bluetooth": MockedBlueZ.row, "plane": Self.airplane], environment: services.environment)
    try scene.client.await("bluetooth", "on")
    return (scene, bluez)
  }

  @Test("an adapter that comes back as hci2, powered by BlueZ, is turned off again, and once alone")
  func renumbered() throws {
    let (scene, bluez) = try adapters(SystemServices())
    #expect(try scene.client.setOn("plane", true) == "ok [true]")
    #expect(try !bluez.isPowered("hci0"))
    try bluez.remove("hci0")
    try scene.client.await("bluetooth", ["Reason": #""no-device""#])
    try scene.requireAlive(["plane": "on"])
    try bluez.add("hci2")
    try scene.client.await("bluetooth", "on", "off")
    #expect(try !bluez.isPowered("hci2"))
    #expect(scene.client.announced("plane", "State") == [#""off""#, #""on""#])
    // Whoever powers it after that means it, and keeps it.
    try bluez.power("hci2", true)
    try scene.client.await("bluetooth", "on")
    try scene.requireAlive(["plane": "on"])
    #expect(try scene.client.setOn("bluetooth", false) == "ok [true]")
    #expect(try scene.client.setOn("plane", false) == "ok [true]")
    #expect(try !bluez.isPowered("hci2"))
  }

  @Test("an adapter that comes back as hci2 is powered when airplane mode ends")
  func restoredAnew() throws {
    let (scene, bluez) = try adapters(SystemServices())
    #expect(try scene.client.setOn("plane", true) == "ok [true]")
    try bluez.remove("hci0")
    try scene.client.await("bluetooth", ["Reason": #""no-device""#])
    try bluez.add("hci2")
    try scene.client.await("bluetooth", "on", "off")
    #expect(try scene.client.setOn("plane", false) == "ok [true]")
    #expect(try bluez.isPowered("hci2"))
  }

  @Test("a second adapter that comes powered is turned off too, and powered at once again has it")
  func secondAdapter() throws {
    let (scene, bluez) = try adapters(SystemServices())
    #expect(try scene.client.setOn("plane", true) == "ok [true]")
    try bluez.add("hci1")
    try scene.client.await("bluetooth", "mixed", "off")
    #expect(try !bluez.isPowered("hci1"))
    try bluez.power("hci1", true)
    try scene.client.await("bluetooth", "mixed")
    #expect(try scene.client.setOn("plane", false) == "ok [true]")
    try scene.requireAlive(["bluetooth": "mixed"])
  }

  @Test("a BlueZ that is started anew is no touch of its adapters")
  func bluezRestarts() throws {
    let services = try SystemServices()
    let (scene, bluez) = try adapters(services)
    #expect(try scene.client.setOn("plane", true) == "ok [true]")
    try bluez.program.send(SIGTERM)
    try bluez.program.waitForExit()
    try scene.client.await("bluetooth", ["Reason": #""no-service""#])
    #expect(try scene.client.setOn("plane", false) == "ok [true]")
    #expect(try scene.client.setOn("plane", true) == "ok [true]")
    let next = try MockedBlueZ(services)
    try next.add("hci0")
    try scene.client.await("bluetooth", "on", "off")
    #expect(try scene.client.setOn("plane", false) == "ok [true]")
    #expect(try next.isPowered("hci0"))
  }
}
