// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import TestSupport
import Testing

/// Airplane mode over the kernel's radios, with the rfkill program beside it.
@MainActor
@Suite(
  "airplane mode of rfkill's radios", .serialized,
  .needsRadios)
struct DaemonAirplaneRadioTests {
  private let radios: RadioDevice
  private let stage: Stage

  init() throws {
    radios = try RadioDevice()
    stage = try Stage(
      .session,
      [
        "wifi.row": "[Row]\nTitle=W\n[Backend]\nType=rfkill\nClass=wlan\n",
        "bluetooth.row": "[Row]\nTitle=B\n[Backend]\nType=rfkill\nClass=bluetooth\n",
        "plane.row": "[Row]\nTitle=P\n[Backend]\nType=airplane\nMembers=wifi;bluetooth\n",
      ])
  }

  /// Starts the daemon and waits until it has seen the radios.
  private func serve(wifi: String = "on", bluetooth: String = "on") throws -> Peer {
    try stage.start(["--rfkill", radios.path])
    let peer = try Peer(stage)
    try see(peer, "wifi", wifi)
    try see(peer, "bluetooth", bluetooth)
    return peer
  }

  private func see(_ peer: Peer, _ id: String, _ state: String) throws {
    try peer.wait("\(id) to be \(state)") { (try? peer.state(id)) == state }
  }

  private static let blocked = "blocked unblocked"
  private static let unblocked = "unblocked unblocked"

  @Test("blocks the radios that are not, and unblocks those alone")
  func onAndOff() throws {
    let wifi = try radios.add(.wlan)
    let bluetooth = try radios.add(.bluetooth, isSoftBlocked: true)
    let peer = try serve(bluetooth: "off")
    try peer.setOn("plane", true)
    #expect(try radios.blocks() == [wifi: Self.blocked, bluetooth: Self.blocked])
    try peer.setOn("plane", false)
    #expect(try radios.blocks() == [wifi: Self.unblocked, bluetooth: Self.blocked])
  }

  @Test("rfkill block all is not airplane mode, and neither is what it undoes")
  func blockAll() throws {
    try radios.add(.wlan)
    try radios.add(.bluetooth)
    let peer = try serve()
    try radios.rfkill("block", "all")
    for id in ["wifi", "bluetooth"] { try see(peer, id, "off") }
    #expect(try peer.state("plane") == "off")
    try radios.rfkill("unblock", "bluetooth")
    try see(peer, "bluetooth", "on")
    try peer.setOn("plane", true)
    try peer.setOn("plane", false)
    #expect(try peer.state("bluetooth") == "on")
    #expect(try peer.state("wifi") == "off")
  }

  @Test(
    "an adapter that comes back unblocked, under another index, is blocked again, and once alone")
  func reenumerated() throws {
    let wifi = try radios.add(.wlan)
    let bluetooth = try radios.add(.bluetooth)
    let peer = try serve()
    try peer.setOn("plane", true)
    try radios.remove(wifi)
    try see(peer, "wifi", "unknown (no-device)")
    let next = try radios.add(.wlan, isSoftBlocked: false)
    #expect(next != wifi)
    try peer.wait("it to be blocked") { (try? radios.blocks()[next]) == Self.blocked }
    try see(peer, "wifi", "off")
    // A person unblocks it now, and has it.
    try radios.rfkill("unblock", "wlan")
    try see(peer, "wifi", "on")
    #expect(try peer.state("plane") == "on")
    try radios.rfkill("block", "wlan")
    try see(peer, "wifi", "off")
    try peer.setOn("plane", false)
    #expect(try radios.blocks() == [next: Self.blocked, bluetooth: Self.unblocked])
  }

  @Test("an adapter that comes back under another index is unblocked when airplane mode ends")
  func restoredAnew() throws {
    let wifi = try radios.add(.wlan)
    try radios.add(.bluetooth)
    let peer = try serve()
    try peer.setOn("plane", true)
    try radios.remove(wifi)
    try see(peer, "wifi", "unknown (no-device)")
    let next = try radios.add(.wlan, isSoftBlocked: true)
    try see(peer, "wifi", "off")
    try peer.setOn("plane", false)
    #expect(try radios.blocks()[next] == Self.unblocked)
  }

  @Test("an adapter that is out when airplane mode ends is unblocked when it is put back")
  func owed() throws {
    let wifi = try radios.add(.wlan)
    try radios.add(.bluetooth)
    let peer = try serve()
    try peer.setOn("plane", true)
    try radios.remove(wifi)
    try see(peer, "wifi", "unknown (no-device)")
    try peer.setOn("plane", false)
    #expect(try peer.state("wifi") == "unknown (no-device)")
    // As the kernel has it: blocked, as its class was last told to be.
    let next = try radios.add(.wlan)
    try see(peer, "wifi", "on")
    #expect(try radios.blocks()[next] == Self.unblocked)
  }

  @Test("airplane mode can be left while a hardware switch is off, which is named")
  func hardBlocked() throws {
    let wifi = try radios.add(.wlan)
    let bluetooth = try radios.add(.bluetooth)
    let peer = try serve()
    try peer.setOn("plane", true)
    try radios.hard(wifi, .signal)
    try see(peer, "wifi", "off (hard-blocked)")
    let error = try peer.error(of: peer.sendSetOn("plane", false))
    #expect(error.name == "org.toggled.Error.BackendFailed")
    #expect(error.message.contains("wifi can't be turned on: "), "\(error.message)")
    try see(peer, "plane", "off")
    #expect(try radios.blocks()[bluetooth] == Self.unblocked)
  }
}
