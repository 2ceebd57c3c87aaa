// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// Low Power Mode and its real service, on a bus and with a firmware of their own.
@Suite("the row low_power and power-profiles-daemon", .serialized)
struct ShippedPowerTests {
  private let bus: PrivateBus
  private let directory: TemporaryDirectory
  private let scene: ShippedScene
  private let polkit: Program
  private var service: Program

  init() throws {
    bus = try PrivateBus(.system)
    directory = try TemporaryDirectory()
    try directory.write("balanced\n", to: "sys/firmware/acpi/platform_profile")
    try directory.write(
      "low-power balanced performance\n", to: "sys/firmware/acpi/platform_profile_choices")
    scene = try ShippedScene(on: bus, in: directory, rows: Self.profiles)
    polkit = try Program(
      [Python.path, "-m", "dbusmock", "--system", "--template", "polkitd"],
      environment: bus.systemEnvironment)
    try scene.client.awaitOwner("org.freedesktop.PolicyKit1")
    // umockdev-wrapper shows it the directory as /sys.
    service = try Program(
      ["umockdev-wrapper", "/usr/libexec/power-profiles-daemon"],
      environment: bus.systemEnvironment.merging(["UMOCKDEV_DIR": directory.path]) { $1 })
    try authorise(true)
    try scene.client.await("low_power", "off")
  }

  /// Each profile as a row, of which only one can be on.
  private static var profiles: [String: String] {
    var rows: [String: String] = [:]
    for profile in ["power-saver", "balanced", "performance"] {
      let id = profile.replacing("-", with: "_")
      rows["\(id).row"] = """
        [Row]
        Title=\(profile)
        Bus=system
        [Backend]
        Type=dbus
        Service=net.hadess.PowerProfiles
        Path=/net/hadess/PowerProfiles
        Interface=net.hadess.PowerProfiles
        Property=ActiveProfile
        On='\(profile)'

        """
    }
    return rows
  }

  private func authorise(_ isAllowed: Bool) throws {
    try scene.run([
      "busctl", "--address=\(bus.address)", "call", "org.freedesktop.PolicyKit1",
      "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.DBus.Mock", "AllowUnknown", "b",
      "\(isAllowed)",
    ])
  }

  private func profile() throws -> String {
    try scene.run(["powerprofilesctl", "get"])
  }

  /// What the firmware is at, as the kernel shows it.
  private func platformProfile() throws -> String {
    try scene.run(["cat", directory.path("sys/firmware/acpi/platform_profile")])
  }

  @Test("reaches the firmware, and follows it when a key of the machine changes it")
  func firmwareKey() throws {
    #expect(try scene.client.setOn("low_power", true) == "ok [true]")
    #expect(try platformProfile() == "low-power")
    let states = try scene.states(of: "low_power") {
      try directory.write("performance\n", to: "sys/firmware/acpi/platform_profile")
      try scene.client.await("low_power", "off")
    }
    #expect(states == [#""off""#])
    #expect(try profile() == "performance\n")
  }

  @Test("is changed by another program and twice in a row, and ends as the last change has it")
  func quickChanges() throws {
    let on = try scene.client.startSetOn("low_power", true)
    let off = try scene.client.startSetOn("low_power", false)
    try scene.run(["powerprofilesctl", "set", "performance"])
    try scene.run(["powerprofilesctl", "set", "power-saver"])
    for ticket in [on, off] { _ = try scene.client.wait(ticket) }
    let last = try profile() == "power-saver\n" ? "on" : "off"
    _ = try scene.states(of: "low_power") {}
    #expect(try scene.client.get("low_power", "State") == "\"\(last)\"")
  }

  @Test("three profiles as three rows: one of them is on, whichever is turned on")
  func threeProfiles() throws {
    for id in ["power_saver", "performance", "balanced"] {
      #expect(try scene.client.setOn(id, true) == "ok [true]")
      for other in ["power_saver", "performance", "balanced"] {
        try scene.client.await(other, other == id ? "on" : "off")
      }
      #expect(try profile().replacing("-", with: "_") == "\(id)\n")
    }
  }

  @Test("where polkit refuses the flip fails with the service's own words, and nothing changes")
  func refused() throws {
    try authorise(false)
    let answer = try scene.client.setOn("low_power", true)
    #expect(answer.hasPrefix("error org.freedesktop.DBus.Error.AccessDenied "), "\(answer)")
    #expect(try profile() == "balanced\n")
    #expect(try scene.client.get("low_power", "State") == #""off""#)
  }

  @Test("a newer service has the other name, and serves the row as long as it is there")
  func newName() throws {
    let interface = "org.freedesktop.UPower.PowerProfiles"
    let path = "/org/freedesktop/UPower/PowerProfiles"
    var newer: SceneService? = try SceneService(
      bus.address,
      ["property \(path) \(interface) ActiveProfile s '\"power-saver\"'", "own \(interface)"])
    try scene.client.await("low_power", "on")
    #expect(try scene.client.setOn("low_power", false) == "ok [true]")
    try newer?.waitForCall("Set")
    #expect(try profile() == "balanced\n")
    newer = nil
    try scene.run(["powerprofilesctl", "set", "power-saver"])
    try scene.client.await("low_power", "on")
    #expect(try scene.client.setOn("low_power", false) == "ok [true]")
    #expect(try profile() == "balanced\n")
  }
}
