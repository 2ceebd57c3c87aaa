// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// What systemd makes of the daemon, and the daemon of systemd, with either message bus.
@Suite("the installed service", .serialized, .needsPackage)
@MainActor
struct ServiceUnitTests {
  private static let row = "ip_forwarding"

  /// A client that watches a row, and was told how it is.
  private func watch(_ machine: Machine) throws -> Program {
    let watch = try machine.start(["togglectl", "--system", "watch", Self.row])
    try watch.waitForLine { $0.hasPrefix("\(Self.row) off") }
    return watch
  }

  /// The client sees the row go and come back, and then change.
  private func expectReturn(of watch: Program, _ machine: Machine) throws {
    try watch.waitForLine { $0 == "\(Self.row) lost" }
    try watch.waitForLine { $0.hasPrefix("\(Self.row) off") }
    try machine.togglectl("on", Self.row)
    try watch.waitForLine { $0.hasPrefix("\(Self.row) on") }
    try machine.togglectl("off", Self.row)
    try watch.waitForLine { $0.hasPrefix("\(Self.row) off") }
  }

  /// What the journal has of the service, and what comes.
  private func followLog(_ machine: Machine) throws -> Program {
    try machine.start(
      ["journalctl", "--follow", "--lines=all", "--output=cat", "--unit=toggled.service"])
  }

  @Test("says in its status how many rows there are", arguments: Machine.BusProgram.allCases)
  func status(_ bus: Machine.BusProgram) throws {
    let machine = try InstalledMachine.on(bus)
    let rows = try machine.succeed(
      "busctl", "get-property", "org.toggled", "/org/toggled", "org.toggled.Manager1", "Rows")
    let count = rows.dropFirst("u ".count).dropLast()
    #expect(try machine.service("StatusText").hasPrefix("\(count) rows"))
    let status = try machine.succeed("systemctl", "status", "toggled.service")
    #expect(status.contains("Status: \"\(count) rows"), "\(status)")
  }

  @Test(
    "has every row that was added once a reload returns", arguments: Machine.BusProgram.allCases)
  func reload(_ bus: Machine.BusProgram) throws {
    let machine = try InstalledMachine.on(bus)
    let names = (1...200).map { "beacon\($0)" }
    let text = "[Row]\nTitle=Beacon\nBus=system\n[Backend]\nType=stored\n"
    try machine.addRows(Dictionary(uniqueKeysWithValues: names.map { ($0, text) }))
    #expect(try machine.togglectl("get", "beacon200") == "off\n")
    let json = try machine.togglectl("--json", "list", "beacon")
    #expect(json.split(separator: "\"id\":\"beacon").count == 201)
    try machine.removeRows(names)
    #expect(try machine.run(["togglectl", "--system", "get", "beacon1"]).status == .exited(3))
  }

  @Test(
    "is killed when its loop hangs, and started again, and clients carry on",
    arguments: Machine.BusProgram.allCases)
  func watchdog(_ bus: Machine.BusProgram) throws {
    let machine = try InstalledMachine.on(bus)
    // Short enough to be waited for, and far more than a loop takes that does not hang.
    try machine.configureService("WatchdogSec=5", as: "watchdog")
    try machine.restartService()
    let watch = try watch(machine)
    let first = try machine.service("MainPID")
    try machine.succeed("systemctl", "kill", "--signal=STOP", "toggled.service")
    try expectReturn(of: watch, machine)
    #expect(try machine.service("MainPID") != first)
    #expect(try machine.service("NRestarts") == "1")
    let log = try machine.succeed("journalctl", "--output=cat", "--unit=toggled.service")
    #expect(log.contains("Watchdog timeout (limit 5s)!"), "\(log)")
    try machine.restoreService(without: "watchdog")
  }

  @Test(
    "is started again after a kill, and clients carry on",
    arguments: Machine.BusProgram.allCases)
  func killed(_ bus: Machine.BusProgram) throws {
    let machine = try InstalledMachine.on(bus)
    try machine.restartService()
    let watch = try watch(machine)
    try machine.succeed("systemctl", "kill", "--signal=KILL", "toggled.service")
    try expectReturn(of: watch, machine)
    #expect(try machine.service("NRestarts") == "1")
  }

  @Test("stops without a complaint", arguments: Machine.BusProgram.allCases)
  func stop(_ bus: Machine.BusProgram) throws {
    let machine = try InstalledMachine.on(bus)
    try machine.succeed("systemctl", "stop", "toggled.service")
    #expect(try machine.service("ActiveState") == "inactive")
    #expect(try machine.service("Result") == "success")
    #expect(try machine.service("ExecMainStatus") == "0")
    try machine.succeed("systemctl", "start", "toggled.service")
  }

  @Test("logs as much as it is asked to", arguments: Machine.BusProgram.allCases)
  func logLevel(_ bus: Machine.BusProgram) throws {
    let machine = try InstalledMachine.on(bus)
    try machine.succeed("systemctl", "service-log-level", "toggled.service", "debug")
    #expect(
      try machine.succeed("systemctl", "service-log-level", "toggled.service") == "debug\n")
    try machine.succeed("systemctl", "service-log-level", "toggled.service", "info")
  }

  @Test("comes back with the bus that it lost", arguments: Machine.BusProgram.allCases)
  func lostBus(_ bus: Machine.BusProgram) throws {
    let machine = try InstalledMachine.make(bus: bus)
    try machine.togglectl("on", Self.row)
    let log = try followLog(machine)
    try machine.succeed("systemctl", "kill", "--signal=KILL", "dbus.service")
    try log.waitForLine(containing: "lost the system bus")
    try log.waitForLine(containing: "rows on the system bus")
    #expect(try machine.togglectl("get", Self.row) == "on\n")
  }

  @Test(
    "starts and serves however many descriptors others send it",
    arguments: Machine.BusProgram.allCases)
  func descriptors(_ bus: Machine.BusProgram) throws {
    let machine = try InstalledMachine.make(bus: bus)
    let attacker = try machine.start(
      Machine.asNobody + machine.command(running: "attacker.py", with: ["backend_wire.py"])
        + [Machine.innerSystemBus, "flood", "40"])
    try attacker.waitForLine { $0 == "going" }
    for _ in 0..<4 {
      try machine.restartService()
      let first = try machine.service("MainPID")
      try machine.togglectl("toggle", Self.row)
      let last = try machine.service("MainPID")
      #expect(last == first)
    }
    #expect(attacker.exitStatus == nil, "\(attacker.text(.error))")
    #expect(try machine.service("NRestarts") == "0")
  }

  @Test("is given up when no start succeeds")
  func badStart() throws {
    let machine = try InstalledMachine.shared.get()
    try machine.configureService("ExecStart=\nExecStart=/bin/false\nRestartSec=10ms", as: "bad")
    let log = try followLog(machine)
    #expect(try machine.run(["systemctl", "restart", "toggled.service"]).status == .exited(1))
    try log.waitForLine(containing: "Start request repeated too quickly")
    #expect(try machine.service("ActiveState") == "failed")
    try machine.restoreService(without: "bad")
  }

  @Test("serves a user's rows as a service of theirs, which the session bus starts")
  func user() throws {
    let machine = try InstalledMachine.shared.get()
    try machine.startUserManager()
    let environment = Machine.sessionEnvironment
    try machine.succeed(
      "systemctl", "--user", "stop", "toggled.service", environment: environment)
    let state = try machine.succeed(
      "busctl", "--user", "get-property", "org.toggled", "/org/toggled", "org.toggled.Manager1",
      "Scope", environment: environment)
    #expect(state == "s \"session\"\n")
    let owner = try machine.succeed(
      "busctl", "--user", "status", "org.toggled", environment: environment)
    #expect(owner.contains("UserUnit=toggled.service\n"), "\(owner)")
    let status = try machine.succeed(
      "systemctl", "--user", "status", "toggled.service", environment: environment)
    #expect(status.contains("Status: \""), "\(status)")
    try machine.succeed(
      "systemctl", "--user", "reload", "toggled.service", environment: environment)
    try machine.succeed(
      "systemctl", "--user", "service-log-level", "toggled.service", "debug",
      environment: environment)
    try machine.succeed(
      "systemctl", "--user", "stop", "toggled.service", environment: environment)
    let result = try machine.succeed(
      "systemctl", "--user", "show", "--property=Result", "--value", "toggled.service",
      environment: environment)
    #expect(result == "success\n")
  }
}
