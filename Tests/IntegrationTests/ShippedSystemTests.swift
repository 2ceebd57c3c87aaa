// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// The machine's rows that ship, each with the real thing, in a machine of the tests' own.
@MainActor
@Suite(
  "the system rows that ship", .serialized,
  .needsMachine)
struct ShippedSystemTests {
  private let machine: Machine

  /// Programs are taken away in it, so it is not the one that others use.
  private static let ownMachine = Result { try Machine(binding: [Machine.products]) }

  init() throws {
    machine = try Self.ownMachine.get()
  }

  /// A row that switches a unit, and whether that starts at boot.
  nonisolated private static func unit(
    _ id: String, _ unit: String, preparations: [[String]] = [], passage: String = "mixed"
  ) -> ShippedRow {
    let disable = ["systemctl", "disable", "--now", unit]
    // systemctl enables a unit before it starts it, and disables it before it stops it.
    return ShippedRow(
      id: id, provider: unit, preparations: preparations + [disable],
      reader: ["systemctl", "is-active", unit],
      texts: ("active", "inactive"), setters: (["systemctl", "enable", "--now", unit], disable),
      passage: passage)
  }

  /// A service that is started first.
  nonisolated private static func running(_ unit: String) -> [[String]] {
    [["systemctl", "start", unit]]
  }

  /// As if a program and its service were not installed.
  nonisolated private static func without(_ name: String) -> [[String]] {
    [
      ["rm", "-f", "/usr/sbin/\(name)", "/lib/systemd/system/\(name).service"],
      ["systemctl", "daemon-reload"],
    ]
  }

  /// Lets systemd-timesyncd run in a container, where it may not set the clock.
  nonisolated private static let timesyncInContainers = """
    set -e
    cd /etc/systemd/system
    mkdir -p systemd-timesyncd.service.d
    printf '%s\\n' >systemd-timesyncd.service.d/container.conf \
      '[Unit]' ConditionCapability= ConditionVirtualization= \
      '[Service]' AmbientCapabilities= CapabilityBoundingSet=
    systemctl daemon-reload
    """

  nonisolated private static let automaticTime = ShippedRow(
    id: "automatic_time", preparations: [["sh", "-c", timesyncInContainers]],
    reader: ["timedatectl", "show", "--property=NTP"], texts: ("NTP=yes", "NTP=no"),
    setters: (["timedatectl", "set-ntp", "true"], ["timedatectl", "set-ntp", "false"]))

  nonisolated private static let location = ShippedRow(
    id: "location", reader: ["systemctl", "is-enabled", "geoclue.service"],
    texts: ("static", "masked"),
    setters: (
      ["systemctl", "unmask", "geoclue.service"], ["systemctl", "mask", "geoclue.service"]
    )
  )

  nonisolated private static let rows: [ShippedRow] = [
    ShippedRow(
      id: "wifi", preparations: running("NetworkManager.service"),
      reader: ["nmcli", "radio", "wifi"], texts: ("enabled", "disabled"),
      setters: (["nmcli", "radio", "wifi", "on"], ["nmcli", "radio", "wifi", "off"])),
    ShippedRow(
      id: "mobile_data", preparations: running("NetworkManager.service"),
      reader: ["nmcli", "radio", "wwan"], texts: ("enabled", "disabled"),
      setters: (["nmcli", "radio", "wwan", "on"], ["nmcli", "radio", "wwan", "off"])),
    ShippedRow(
      id: "low_power", preparations: running("power-profiles-daemon.service"),
      reader: ["powerprofilesctl", "get"], texts: ("power-saver", "balanced"),
      setters: (
        ["powerprofilesctl", "set", "power-saver"], ["powerprofilesctl", "set", "balanced"]
      )),
    automaticTime,
    unit("automatic_updates", "apt-daily-upgrade.timer"),
    unit("remote_login", "ssh.service"),
    ShippedRow(
      id: "firewall", provider: "ufw", preparations: without("firewalld"),
      reader: ["ufw", "status"], texts: ("Status: active", "Status: inactive"),
      setters: (["ufw", "--force", "enable"], ["ufw", "disable"])),
    unit(
      "firewall", "nftables.service", preparations: without("firewalld") + without("ufw")),
    // Its socket comes first, and last.
    unit("printing", "cups.service", passage: "unknown"),
    location,
    ShippedRow(
      id: "ip_forwarding", reader: ["sysctl", "-n", "net.ipv4.ip_forward"], texts: ("1", "0"),
      setters: (
        ["sysctl", "-w", "net.ipv4.ip_forward=1"], ["sysctl", "-w", "net.ipv4.ip_forward=0"]
      )),
  ]

  @Test("is flipped through the bus and by its own tool, and each sees the other", arguments: rows)
  func followsItsThing(_ row: ShippedRow) throws {
    let scene = try ShippedScene(row, in: machine)
    try scene.expectTrue(row)
  }

  @Test("a time service that is switched behind timedated's back is read right on Refresh")
  func switchedWithoutSignal() throws {
    let scene = try ShippedScene(Self.automaticTime, in: machine)
    try scene.client.await("automatic_time", "off")
    for (verb, state) in [("enable", "on"), ("disable", "off")] {
      try scene.run(["systemctl", verb, "--now", "systemd-timesyncd.service"])
      #expect(try scene.client.call("automatic_time", "Refresh") == "ok []")
      #expect(try scene.client.get("automatic_time", "State") == "\"\(state)\"")
    }
  }

  @Test("location follows geoclue where nobody else has systemd tell of its units' files")
  func locationAlone() throws {
    // It is subscribed for as long as it runs.
    try machine.succeed("systemctl", "stop", "systemd-logind.service")
    defer { _ = try? machine.succeed("systemctl", "start", "systemd-logind.service") }
    let scene = try ShippedScene(Self.location, in: machine, isAlone: true)
    try scene.expectTrue(Self.location)
  }

  @Test("location is not found for as long as geoclue is not installed")
  func locationWithoutGeoclue() throws {
    let unit = "/lib/systemd/system/geoclue.service"
    let scene = try ShippedScene(Self.location, in: machine, isAlone: true)
    try scene.client.await("location", "on")
    try machine.succeed("mv", unit, "\(unit).away")
    defer { _ = try? machine.succeed("mv", "\(unit).away", unit) }
    try machine.succeed("systemctl", "daemon-reload")
    try scene.client.await("location", ["Reason": #""not-found""#, "Available": "false"])
  }

  @Test("a service that is masked leaves its row unavailable, and togglectl says so and ends")
  func masked() throws {
    let unit = "power-profiles-daemon.service"
    try machine.succeed("systemctl", "mask", "--now", unit)
    defer { _ = try? machine.succeed("systemctl", "unmask", unit) }
    let scene = try ShippedScene(
      ShippedRow(id: "low_power", reader: [], texts: ("", ""), setters: ([], [])), in: machine)
    try scene.client.await("low_power", ["Reason": #""no-service""#, "Available": "false"])
    let togglectl = [try Products.path("togglectl"), "--system"]
    #expect(try machine.run(togglectl + ["get", "low_power"]).output == "unknown\n")
    let flip = try machine.run(togglectl + ["on", "low_power"])
    #expect(flip.status == .exited(5), "\(flip.error)")
    #expect(flip.error.contains("low_power"), "\(flip.error)")
    #expect(flip.error.contains("masked"), "\(flip.error)")
  }
}
