// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// The system's daemon as `sudo -E` or `su` may start it: in the environment of a user.
@Suite("an environment that a user controls", .serialized, .needsMachine)
@MainActor
struct TrustEnvironmentTests {
  private let machine: Machine
  private let hostile: String

  init() throws {
    machine = try Machine.withToggled()
    hostile = machine.directory.path("hostile")
  }

  private func property(_ name: String) throws -> String {
    try machine.succeed(
      "busctl", "get-property", "org.toggled", "/org/toggled", "org.toggled.Manager1", name)
  }

  @Test("leads the daemon to no rows, no programs and no bus, and no program of a row sees it")
  func environment() throws {
    let row = RowText.stored("Evil", "Bus=system")
    for directory in ["share", "config", "home/.config"] {
      try machine.directory.write(row, to: "hostile/\(directory)/toggled/rows/evil.row")
    }
    try machine.directory.write("#!/bin/sh\n", to: "hostile/bin/only-here", mode: 0o755)
    try machine.write(
      RowText.stored("Try", "Bus=system\nTryExec=only-here"), to: "/etc/toggled/rows/try.row")
    let dump = try machine.directory.write(
      "#!/bin/sh\ntr '\\0' '\\n' </proc/$$/environ >/run/dump\n", to: "dump", mode: 0o755)
    try machine.write(
      "[Row]\nTitle=Dump\nBus=system\n[Backend]\nType=command\nOn=\(dump)\nOff=\(dump)\n",
      to: "/etc/toggled/rows/dump.row")
    let variables = [
      "XDG_DATA_DIRS": "\(hostile)/share", "XDG_CONFIG_HOME": "\(hostile)/config",
      "XDG_STATE_HOME": "\(hostile)/state", "XDG_RUNTIME_DIR": hostile, "HOME": "\(hostile)/home",
      "PATH": "\(hostile)/bin:/usr/bin:/bin", "LD_LIBRARY_PATH": "\(hostile)/lib",
      "PYTHONPATH": hostile, "ENV": "\(hostile)/env", "TOGGLED_ROWS": hostile,
      "DBUS_SYSTEM_BUS_ADDRESS": "unixexec:path=\(hostile)/bin/only-here",
      "DBUS_SESSION_BUS_ADDRESS": "unixexec:path=\(hostile)/bin/only-here",
    ]
    let daemon = try machine.start(
      [try Products.path("toggled"), "--system"], environment: variables)
    try daemon.waitForLine(containing: "rows on the system bus: 1", on: .error)
    #expect(try property("Rows") == "u 1\n")
    try machine.succeed(
      "busctl", "call", "org.toggled", "/org/toggled/rows/dump", "org.toggled.Row1", "SetOn", "b",
      "true")
    let seen = try machine.succeed("cat", "/run/dump")
    #expect(seen.contains("PATH="))
    #expect(!seen.contains(hostile), "\(seen)")
    #expect(!seen.contains("TOGGLED_") && !seen.contains("DBUS_"), "\(seen)")
    #expect(try machine.run(["test", "-e", "\(hostile)/state"]).status == .exited(1))
  }

  @Test("togglectl check tells of the files that the system's daemon does not go by")
  func check() throws {
    let path = "/etc/toggled/rows/lamp.row"
    try machine.write(RowText.stored("Lamp", "Bus=system"), to: path)
    let check = [try Products.path("togglectl"), "--system", "check"]
    #expect(try machine.run(check).status.isSuccess)
    try machine.succeed("chmod", "666", path)
    let outcome = try machine.run(check)
    #expect(!outcome.status.isSuccess)
    let output = outcome.output + outcome.error
    #expect(output.contains("\(path) may be written by others (mode 0666)"), "\(output)")
  }
}
