// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// The rows of radios that ship, with the rfkill program and a stand-in for its device, and with
/// bluetoothctl and a BlueZ of python-dbusmock's.
@MainActor
@Suite(
  "the radio rows that ship", .serialized,
  .needsMachine,
  .needsRadios)
struct ShippedRadioTests {
  private let machine: Machine
  private let device: RadioDevice

  init() throws {
    machine = try Machine.shared.get()
    device = try RadioDevice(in: machine)
  }

  /// BlueZ with an adapter, on the machine's bus.
  private func bluez() throws -> Program {
    let bluez = try machine.start([
      Python.path, "-m", "dbusmock", "--system", "--template", "bluez5",
    ])
    try machine.succeed(
      "gdbus", "wait", "--system", "--timeout=\(Int(patience / .seconds(1)))", "org.bluez")
    try machine.succeed(
      "busctl", "call", "org.bluez", "/", "org.bluez.Mock", "AddAdapter", "ss", "hci0", "desk")
    return bluez
  }

  private func radio(_ id: String, _ type: String) -> ShippedRow {
    ShippedRow(
      id: id, reader: ["rfkill", "--noheadings", "--raw", "--output", "SOFT"],
      texts: ("unblocked", "blocked"),
      setters: (["rfkill", "unblock", type], ["rfkill", "block", type]))
  }

  private let bluetooth = ShippedRow(
    id: "bluetooth", reader: ["sh", "-c", "bluetoothctl show | sed -n 's/.*Powered: //p'"],
    texts: ("yes", "no"),
    setters: (["bluetoothctl", "power", "on"], ["bluetoothctl", "power", "off"]))

  @Test("Wi-Fi without NetworkManager is its rfkill switch")
  func wifi() throws {
    let row = radio("wifi", "wlan")
    let scene = try ShippedScene(row, in: machine)
    // The row is there before any hardware is.
    try scene.client.await("wifi", ["Available": "false"])
    try device.add(.wlan)
    try scene.expectTrue(row)
  }

  @Test("mobile data without NetworkManager is its rfkill switch")
  func mobileData() throws {
    try device.add(.wwan)
    let row = radio("mobile_data", "wwan")
    try ShippedScene(row, in: machine).expectTrue(row)
  }

  @Test("Bluetooth is BlueZ's adapters")
  func adapters() throws {
    try device.add(.bluetooth)
    let bluez = try bluez()
    try ShippedScene(bluetooth, in: machine).expectTrue(bluetooth)
    withExtendedLifetime(bluez) {}
  }

  @Test("Bluetooth that rfkill blocks is unblocked before it is powered")
  func blocked() throws {
    let radio = try device.add(.bluetooth, isSoftBlocked: true)
    let bluez = try bluez()
    let scene = try ShippedScene(bluetooth, in: machine)
    try scene.run(bluetooth.setters.off)
    try scene.client.await("bluetooth", "off")
    #expect(try scene.client.setOn("bluetooth", true) == "ok [true]")
    #expect(try device.blocks()[radio]?.hasPrefix("unblocked") == true)
    #expect(try scene.read(bluetooth))
    withExtendedLifetime(bluez) {}
  }

  @Test("airplane mode turns off the radios that are on, and brings back no others")
  func airplane() throws {
    let wifi = try device.add(.wlan)
    try device.add(.bluetooth)
    let modem = try device.add(.wwan, isSoftBlocked: true)
    let bluez = try bluez()
    let scene = try ShippedScene(bluetooth, in: machine)
    for (id, state) in [("wifi", "on"), ("bluetooth", "on"), ("mobile_data", "off")] {
      try scene.client.await(id, state)
    }
    for (on, state) in [(true, "blocked unblocked"), (false, "unblocked unblocked")] {
      let states = try scene.states(of: "airplane_mode") {
        let answer = try scene.client.setOn("airplane_mode", on)
        #expect(answer == "ok [true]")
      }
      #expect(states == [on ? #""on""# : #""off""#])
      let blocks = try device.blocks()
      #expect(blocks[wifi] == state)
      #expect(blocks[modem] == "blocked unblocked")
      #expect(try scene.read(bluetooth) == !on)
    }
    withExtendedLifetime(bluez) {}
  }
}
