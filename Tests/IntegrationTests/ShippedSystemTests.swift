// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// The machine's rows that ship, each with the real thing, in a machine of the tests' own.
@MainActor
@Suite(
  "the system rows that ship", .serialized,
  .enabled(if: Machine.obstacle == nil, Comment(rawValue: Machine.obstacle ?? "")))
struct ShippedSystemTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.shared.get()
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

  nonisolated private static let rows: [ShippedRow] = [
    ShippedRow(
      id: "automatic_time", preparations: [["sh", "-c", timesyncInContainers]],
      reader: ["timedatectl", "show", "--property=NTP"], texts: ("NTP=yes", "NTP=no"),
      setters: (["timedatectl", "set-ntp", "true"], ["timedatectl", "set-ntp", "false"])),
    ShippedRow(
      id: "location", reader: ["systemctl", "is-enabled", "geoclue.service"],
      texts: ("static", "masked"),
      setters: (
        ["systemctl", "unmask", "geoclue.service"], ["systemctl", "mask", "geoclue.service"]
      )),
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
}
