// SPDX-License-Identifier: MIT

import System
import TestSupport

/// The daemon as a service of a booted machine that has taken nearly everything away from it.
@MainActor
final class ServiceStage: Venue {
  let machine: Machine
  let directory: TemporaryDirectory
  private(set) var daemon: Program?

  /// The daemon's unit.
  static let unit = "toggled-confined.service"

  /// What the unit may not do: nothing but talk to the bus, and keep its state.
  private static let sandbox = [
    "ProtectSystem=strict", "ProtectHome=yes", "PrivateDevices=yes", "ProtectKernelTunables=yes",
    "NoNewPrivileges=yes", "CapabilityBoundingSet=", "RestrictAddressFamilies=AF_UNIX",
    "MemoryDenyWriteExecute=yes", "SystemCallFilter=@system-service",
  ]

  /// - Parameter files: rows, by the names of their files.
  init(_ machine: Machine, _ files: [String: String]) throws {
    self.machine = machine
    directory = try TemporaryDirectory(in: machine.directory.path)
    try directory.makeDirectory("rows")
    try directory.makeDirectory("state")
    for (name, text) in files { try directory.write(text, to: "rows/\(name)") }
    try start()
  }

  isolated deinit {
    try? stop()
  }

  var address: String { machine.systemBus }
  var log: String { daemon?.text(.error) ?? "" }

  /// Starts the service; returns when it serves its rows.
  func start() throws {
    let properties = Self.sandbox + ["ReadWritePaths=\(directory.path("state"))"]
    let daemon = try machine.start(
      ["systemd-run", "--quiet", "--pipe", "--wait", "--collect", "--unit=\(Self.unit)"]
        + properties.map { "--property=\($0)" }
        + [
          try Products.path("toggled"), "--system", "--rows", directory.path("rows"), "--state",
          directory.path("state"),
        ])
    self.daemon = daemon
    try daemon.waitForLine(containing: "rows on the system bus", on: .error)
  }

  /// Stops the service, as an administrator does.
  func stop() throws {
    try machine.succeed("systemctl", "stop", Self.unit)
  }

  /// Ends the daemon without a chance to clear up.
  func kill() throws {
    try machine.succeed("systemctl", "kill", "--signal=KILL", "--kill-who=main", Self.unit)
  }
}
