// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// Each kind of row, by the daemon as it is installed: with everything taken away that its unit
/// takes away.
@Suite("rows under the sandbox", .serialized, .needsPackage)
@MainActor
struct SandboxTests {
  let machine: Machine

  init() throws {
    machine = try InstalledMachine.shared.get()
  }

  /// Flips a row on and off, and looks each time whether that is so.
  private func flip(_ row: String, _ isSo: (Bool) throws -> Void) throws {
    for on in [true, false] {
      try machine.togglectl(on ? "on" : "off", row)
      #expect(try machine.togglectl("get", row) == (on ? "on\n" : "off\n"))
      try isSo(on)
    }
  }

  @Test("a knob of the network is turned in the machine's own network")
  func networkKnob() throws {
    try flip("ip_forwarding") { on in
      let knob = try machine.succeed("cat", "/proc/sys/net/ipv4/ip_forward")
      #expect(knob == (on ? "1\n" : "0\n"))
    }
    // And what others do to it is seen.
    let watch = try machine.start(["togglectl", "--system", "watch", "ip_forwarding"])
    try watch.waitForLine { $0.hasPrefix("ip_forwarding off") }
    try machine.succeed("sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward")
    try watch.waitForLine { $0.hasPrefix("ip_forwarding on") }
    try machine.togglectl("off", "ip_forwarding")
  }

  @Test(
    "radios are switched by a /dev/rfkill that came after the daemon, and by airplane mode",
    .needsRadios)
  func radios() throws {
    try machine.restartService()
    let watch = try machine.start(["togglectl", "--system", "watch", "wifi"])
    try watch.waitForLine { $0.hasPrefix("wifi unknown") }
    // The stand-in is mounted over a file, which the daemon is not to see by itself.
    try machine.succeed("systemctl", "kill", "--signal=STOP", "toggled.service")
    let device = try RadioDevice(in: machine)
    let radio = try device.add(.wlan, isSoftBlocked: true)
    try machine.succeed("systemctl", "kill", "--signal=CONT", "toggled.service")
    try watch.waitForLine { $0.hasPrefix("wifi off") }
    try flip("wifi") { on in
      let blocks = try device.blocks()
      #expect(blocks[radio] == (on ? "unblocked unblocked" : "blocked unblocked"))
    }
    try machine.togglectl("on", "wifi")
    try machine.togglectl("on", "airplane_mode")
    #expect(try device.blocks()[radio] == "blocked unblocked")
    try machine.togglectl("off", "airplane_mode")
    #expect(try device.blocks()[radio] == "unblocked unblocked")
    // As at a boot: the device was there first.
    try machine.restartService()
    try flip("wifi") { on in
      let blocks = try device.blocks()
      #expect(blocks[radio] == (on ? "unblocked unblocked" : "blocked unblocked"))
    }
  }

  @Test("a property of another service, by whichever of its names there is")
  func property() throws {
    try machine.succeed("systemctl", "start", "power-profiles-daemon.service")
    try machine.giveAmpleTime(to: "low_power")
    let watch = try machine.start(["togglectl", "--system", "watch", "low_power"])
    try watch.waitForLine { $0.hasPrefix("low_power off") }
    try flip("low_power") { on in
      let profile = try machine.succeed(
        "busctl", "get-property", "net.hadess.PowerProfiles", "/net/hadess/PowerProfiles",
        "net.hadess.PowerProfiles", "ActiveProfile")
      #expect((profile == "s \"power-saver\"\n") == on)
    }
    try machine.succeed("systemctl", "stop", "power-profiles-daemon.service")
  }

  @Test("a unit is started and enabled, stopped and disabled")
  func unit() throws {
    try machine.write(
      "[Service]\nExecStart=sleep infinity\n[Install]\nWantedBy=multi-user.target\n",
      to: "/etc/systemd/system/beacon.service")
    try machine.succeed("systemctl", "daemon-reload")
    try machine.addRows([
      "beacon": """
      [Row]
      Title=Beacon
      Bus=system
      [Backend]
      Type=unit
      Unit=beacon.service
      Enable=true

      """
    ])
    try flip("beacon") { on in
      let isActive = try machine.run(["systemctl", "is-active", "beacon.service"]).output
      #expect(isActive == (on ? "active\n" : "inactive\n"))
      let isEnabled = try machine.run(["systemctl", "is-enabled", "beacon.service"]).output
      #expect(isEnabled == (on ? "enabled\n" : "disabled\n"))
    }
    try machine.removeRows(["beacon"])
  }

  @Test("programs run in units of their own, and do what the daemon may not")
  func programs() throws {
    try machine.write("off", to: "/etc/lamp")
    try machine.addRows([
      "lamp": """
      [Row]
      Title=Lamp
      Bus=system
      [Backend]
      Type=command
      State=cat /etc/lamp
      On=sh -c 'cat /proc/self/cgroup >/etc/lamp.group; echo on >/etc/lamp'
      Off=sh -c 'cat /proc/self/cgroup >/etc/lamp.group; echo off >/etc/lamp'

      """
    ])
    try flip("lamp") { on in
      #expect(try machine.succeed("cat", "/etc/lamp") == (on ? "on\n" : "off\n"))
      let group = try machine.succeed("cat", "/etc/lamp.group")
      #expect(group.contains("/toggled-run-"), "\(group)")
      try machine.succeed("rm", "/etc/lamp.group")
    }
    try machine.removeRows(["lamp"])
  }

  @Test("a lock of logind's is held while its row is on")
  func inhibit() throws {
    try machine.addRows([
      "awake": """
      [Row]
      Title=Awake
      Bus=system
      [Backend]
      Type=inhibit
      What=sleep
      Why=A test of the sandbox

      """
    ])
    try flip("awake") { on in
      let list = try machine.succeed("systemd-inhibit", "--list")
      #expect(list.contains("A test of the sandbox") == on)
    }
    try machine.removeRows(["awake"])
  }

  @Test("several units, one after the other")
  func sequence() throws {
    try machine.giveAmpleTime(to: "printing")
    try flip("printing") { on in
      for unit in ["cups.socket", "cups.service"] {
        let isActive = try machine.run(["systemctl", "is-active", unit]).output
        #expect(isActive == (on ? "active\n" : "inactive\n"), "\(unit)")
      }
    }
  }

  @Test("rows of rows, and values that outlive the daemon")
  func compounds() throws {
    func row(_ backend: String) -> String {
      "[Row]\nTitle=Beacon\nBus=system\n[Backend]\n\(backend)\n"
    }
    let rows = [
      "one": row("Type=stored"), "two": row("Type=stored"),
      "both": row("Type=group\nRows=one;two"),
    ]
    try machine.addRows(rows)
    try flip("both") { on in
      let members = try machine.togglectl("get", "one", "two")
      #expect(members == (on ? "on\non\n" : "off\noff\n"))
    }
    try machine.togglectl("on", "one")
    try machine.succeed("systemctl", "kill", "--signal=KILL", "toggled.service")
    try machine.restartService()
    #expect(try machine.togglectl("get", "one", "two") == "on\noff\n")
    #expect(try machine.succeed("stat", "--format=%a %U", "/var/lib/toggled") == "700 root\n")
    try machine.togglectl("off", "one")
    try machine.removeRows(rows.keys)
  }

  @Test("row files are seen as they come, in a directory that was made after the start as well")
  func rowFiles() throws {
    // Where there is none of those yet.
    let machine = try InstalledMachine.make()
    try machine.succeed("rm", "-rf", "/run/toggled", "/etc/toggled")
    try machine.restartService()
    let watch = try machine.start(["togglectl", "--system", "--json", "watch"])
    try watch.waitForLine(containing: "\"id\":\"ip_forwarding\"")
    for place in ["/usr/share", "/run", "/etc"] {
      let file = "\(place)/toggled/rows/beacon.row"
      try machine.write("[Row]\nTitle=Beacon\nBus=system\n[Backend]\nType=stored\n", to: file)
      try watch.waitForLine(containing: "\"event\":\"added\"")
      try machine.succeed("rm", file)
      try watch.waitForLine(containing: "\"event\":\"removed\"")
    }
  }

  @Test("every row is read again when logind says that the machine woke up")
  func wakeUp() throws {
    try machine.addRows(["beacon": "[Row]\nTitle=Beacon\nBus=system\n[Backend]\nType=stored\n"])
    // No machine falls asleep in here, so logind gives way to python-dbusmock's model of it.
    let logind = "org.freedesktop.login1"
    try machine.succeed("systemctl", "mask", "--runtime", "--now", "systemd-logind.service")
    try machine.succeed(
      "systemd-run", "--unit=model", Python.path, "-m", "dbusmock", "--system", "--template",
      "logind")
    try machine.succeed(
      "gdbus", "wait", "--system", "--timeout=\(Int(patience / .seconds(1)))", logind)
    let watch = try machine.start(["togglectl", "--system", "watch", "beacon"])
    try watch.waitForLine { $0.hasPrefix("beacon off") }
    // Nobody watches what the daemon keeps.
    try machine.write("on\n", to: "/var/lib/toggled/beacon")
    try machine.succeed(
      "busctl", "call", logind, "/org/freedesktop/login1", "org.freedesktop.DBus.Mock",
      "EmitSignal", "sssav", "\(logind).Manager", "PrepareForSleep", "b", "1", "b", "false")
    try watch.waitForLine { $0.hasPrefix("beacon on") }
    try machine.succeed("systemctl", "stop", "model.service")
    try machine.succeed("systemctl", "unmask", "--runtime", "systemd-logind.service")
    try machine.succeed("systemctl", "start", "systemd-logind.service")
    try machine.togglectl("off", "beacon")
    try machine.removeRows(["beacon"])
  }

  @Test("a user's key of GSettings is flipped by the user's service")
  func userKey() throws {
    try machine.startUserManager()
    let environment = Machine.sessionEnvironment
    try machine.write(
      """
      [Row]
      Title=Contrast
      [Backend]
      Type=gsettings
      Schema=org.gnome.desktop.a11y.interface
      Key=high-contrast

      """, to: "/etc/toggled/rows/contrast.row")
    try machine.succeed(
      "systemctl", "--user", "restart", "toggled.service", environment: environment)
    try machine.succeed("togglectl", "--user", "on", "contrast", environment: environment)
    let value = try machine.succeed(
      "gsettings", "get", "org.gnome.desktop.a11y.interface", "high-contrast",
      environment: environment)
    #expect(value == "true\n")
    try machine.succeed("rm", "/etc/toggled/rows/contrast.row")
    try machine.succeed(
      "systemctl", "--user", "stop", "toggled.service", environment: environment)
  }
}
