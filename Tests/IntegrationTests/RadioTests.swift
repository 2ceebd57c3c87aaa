// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System
import TestSupport
import Testing

@MainActor
@Suite(
  "Rows of radios, with the rfkill program", .serialized,
  .needsRadios)
struct RadioTests {
  private let radios: RadioDevice
  private let stage: Stage

  init() throws {
    radios = try RadioDevice()
    stage = try Stage(
      .session, ["wifi.row": Self.row("wlan"), "bluetooth.row": Self.row("bluetooth")])
  }

  private static func row(_ radios: String, _ keys: String = "") -> String {
    "[Row]\nTitle=Radio\n\(keys)\n[Backend]\nType=rfkill\nClass=\(radios)\n"
  }

  /// Starts the daemon; a client that has nothing in its journal, once the row is read.
  private func serve(_ state: String = "on") throws -> Peer {
    try stage.start(["--rfkill", radios.path])
    let peer = try Peer(stage)
    try peer.wait("the first reading") { (try? peer.state("wifi")) == state }
    _ = try peer.takeJournal()
    return peer
  }

  /// How many threads the daemon has.
  private var threads: Int {
    get throws {
      try Files.list("/proc/\(try #require(stage.daemon).processID)/task").count
    }
  }

  @Test("SetOn and Toggle flip all adapters of the class, and the rfkill program agrees")
  func flips() throws {
    let (first, second) = (try radios.add(.wlan), try radios.add(.wlan))
    let bluetooth = try radios.add(.bluetooth)
    let peer = try serve()
    try peer.setOn("wifi", false)
    try peer.expectJournal([
      "rows/wifi Row1 Target='off'", "rows/wifi Row1 IsOn=false State='off' Target=''",
      "/org/toggled Switches1 wifi=false", "SetOn: true",
    ])
    #expect(
      try radios.blocks() == [
        first: "blocked unblocked", second: "blocked unblocked", bluetooth: "unblocked unblocked",
      ])
    #expect(try peer.toggle("wifi") == [.boolean(true)])
    #expect(try radios.blocks().values.allSatisfy { $0 == "unblocked unblocked" })
    // The thread that wrote is gone with what it wrote.
    #expect(try threads == 1)
  }

  @Test("what the rfkill program changes is one PropertiesChanged, and it follows the truth")
  func outside() throws {
    try radios.add(.wlan)
    let second = try radios.add(.wlan)
    let peer = try serve()
    try radios.rfkill("block", "wlan")
    try peer.wait(for: "rows/wifi Row1 IsOn=false State='off'")
    try peer.expectJournal([
      "rows/wifi Row1 IsOn=false State='off'", "/org/toggled Switches1 wifi=false",
    ])
    try radios.soft(second, false)
    try peer.wait(for: "rows/wifi Row1 State='mixed'")
    try peer.expectJournal(["rows/wifi Row1 State='mixed'"])
  }

  @Test("a row is there without hardware, says so, and keeps its value when an adapter goes")
  func hardware() throws {
    let peer = try serve("unknown (no-device)")
    #expect(try peer.row("wifi", "ReasonText") == "'there is no Wi-Fi radio'")
    let error = try peer.error(of: peer.sendSetOn("wifi", true))
    #expect(error.name == "org.toggled.Error.Unavailable")
    #expect(error.message.contains("there is no Wi-Fi radio"))
    let index = try radios.add(.wlan)
    try peer.wait("the adapter") { (try? peer.state("wifi")) == "on" }
    _ = try peer.takeJournal()
    try radios.remove(index)
    try peer.wait("its end") { (try? peer.state("wifi")) == "unknown (no-device)" }
    #expect(try peer.row("wifi", "IsOn") == "true")
    #expect(try !peer.takeJournal().contains { $0.contains("IsOn") })
  }

  @Test("a hardware block is shown beside the value, tried all the same, and lifted by itself")
  func hardBlock() throws {
    let index = try radios.add(.wlan, isSoftBlocked: true, hard: .signal)
    let peer = try serve("off (hard-blocked)")
    #expect(try peer.row("wifi", "Available") == "true")
    let error = try peer.error(of: peer.sendSetOn("wifi", true))
    #expect(error.name == "org.toggled.Error.BackendFailed")
    #expect(error.message.contains("rfkill\(index) is blocked by the hardware"))
    #expect(try radios.blocks() == [index: "unblocked blocked"])
    try radios.hard(index, .none)
    try peer.wait("the switch") { (try? peer.state("wifi")) == "on" }
  }

  @Test("a radio that flaps is told of twenty times a second at most, and its last value always")
  func flapping() throws {
    let index = try radios.add(.wlan)
    let peer = try serve()
    let begin = ContinuousClock.now
    for _ in 0..<200 {
      try radios.soft(index, true)
      try radios.soft(index, false)
    }
    try radios.soft(index, true)
    try peer.wait("the last value") { (try? peer.state("wifi")) == "off" }
    let seconds = (ContinuousClock.now - begin) / .seconds(1)
    let told = try peer.takeJournal().filter { $0.hasPrefix("rows/wifi Row1") }
    #expect(told.last == "rows/wifi Row1 IsOn=false State='off'")
    #expect(Double(told.count) <= seconds * 20 + 2, "\(told.count) in \(seconds) s")
  }

  @Test("a write that hangs in a driver delays nobody else, and not the daemon's end")
  func hangs() throws {
    try stage.write("wifi.row", Self.row("wlan", "Timeout=0.2"))
    let index = try radios.add(.wlan)
    try radios.add(.bluetooth)
    let peer = try serve()
    try radios.tell("hold")
    let error = try peer.error(of: peer.sendSetOn("wifi", false))
    #expect(error.name == "org.toggled.Error.TimedOut")
    #expect(try peer.state("wifi") == "on")
    try radios.soft(index, true)
    try peer.wait("a change by others") { (try? peer.state("wifi")) == "off" }
    #expect(try threads == 2)
    // It has left the bus before the kernel lets go of the thread.
    var owner: BusName? = "org.toggled"
    let watch = peer.connection.watchName("org.toggled") { owner = $0 }
    let daemon = try #require(stage.daemon)
    try daemon.send(SIGTERM)
    try peer.wait("the name to be free") { owner == nil }
    try radios.tell("release")
    #expect(try daemon.waitForExit() == .exited(0))
    withExtendedLifetime(watch) {}
  }
}
