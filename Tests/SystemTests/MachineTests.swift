// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

@Suite("a booted machine", .serialized, .needsMachine)
struct MachineTests {
  @Test("runs systemd first, with no unit failed, and passes exit codes on")
  func boots() throws {
    let machine = try Machine()
    #expect(try machine.succeed("systemctl", "is-system-running", "--wait") == "running\n")
    #expect(try machine.succeed("cat", "/proc/1/comm") == "systemd\n")
    #expect(try machine.run(["sh", "-c", "exit 7"]).status == .exited(7))
  }

  @Test(
    "has the message bus that was asked for, for the system and for users, whatever this one has",
    arguments: Machine.BusProgram.allCases)
  func buses(_ bus: Machine.BusProgram) throws {
    let machine = try Machine(bus: bus)
    try machine.startUserManager()
    let name = try machine.succeed("systemctl", "show", "--property=Id", "dbus.service")
    #expect(name == (bus == .broker ? "Id=dbus-broker.service\n" : "Id=dbus.service\n"))
    let user = try machine.succeed(
      "systemctl", "--user", "show", "--property=Id", "dbus.service",
      environment: Machine.sessionEnvironment)
    #expect(user == name)
    // It answers.
    try machine.succeed(
      "busctl", "call", "org.freedesktop.login1", "/org/freedesktop/login1",
      "org.freedesktop.DBus.Peer", "Ping")
  }

  @Test("has files of its own, and shares its directory")
  func keepsToItself() throws {
    let machine = try Machine(files: ["/etc/toggled-machine/before": "here\n"])
    #expect(try machine.succeed("cat", "/etc/toggled-machine/before") == "here\n")
    try machine.write("later\n", to: "/etc/toggled-machine/after")
    #expect(try machine.succeed("cat", "/etc/toggled-machine/after") == "later\n")
    #expect(!Files.exists("/etc/toggled-machine"))
    try machine.directory.write("shared\n", to: "note")
    #expect(try machine.succeed("cat", machine.directory.path("note")) == "shared\n")
    #expect(try machine.succeed("hostname") == "machine\n")
    let devices = try machine.succeed("ls", "/sys/class/net")
    #expect(devices == "lo\n")
  }

  @Test("has a session bus with the user manager on it")
  func servesUsers() throws {
    let machine = try Machine()
    try machine.startUserManager()
    let state = try machine.succeed(
      "systemctl", "--user", "is-system-running", "--wait", environment: Machine.sessionEnvironment)
    #expect(state == "running\n")
    let names = try Program.run(["busctl", "--address=\(machine.sessionBus)", "list"])
    #expect(names.output.contains("org.freedesktop.systemd1"))
  }

  @Test("ends with its object, and leaves neither a process nor a cgroup")
  func ends() throws {
    var machine: Machine? = try Machine()
    let first = try #require(machine?.processID)
    let group = try #require(try machine?.controlGroup)
    let sleeper = try #require(try machine?.start(["sleep", "infinity"]))
    #expect(Files.exists(group))
    machine = nil
    try Processes.waitForEnd(of: first)
    try sleeper.waitForExit()
    #expect(!Files.exists(group))
  }
}

extension Machine {
  /// The directory of its cgroup, as this system sees it.
  fileprivate var controlGroup: String {
    get throws {
      let outcome = try Program.run(["cat", "/proc/\(processID)/cgroup"])
      let line = try #require(outcome.output.split(separator: "\n").last { $0.hasPrefix("0::") })
      let path = PathParts(String(line.dropFirst(3))).directory
      let mounts = try Program.run(["findmnt", "-n", "-o", "TARGET", "-t", "cgroup2"])
      let mount = try #require(mounts.output.split(separator: "\n").first)
      return "\(mount)\(path)"
    }
  }
}
