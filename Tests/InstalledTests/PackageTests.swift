// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@Suite("the installed package", .serialized, .needsPackage)
@MainActor
struct PackageTests {
  private let machine: Machine

  init() throws {
    machine = try InstalledMachine.shared.get()
  }

  @Test("runs the daemon from then on, and from each boot on")
  func runs() throws {
    #expect(try machine.succeed("systemctl", "is-active", "toggled.service") == "active\n")
    #expect(try machine.succeed("systemctl", "is-enabled", "toggled.service") == "enabled\n")
    #expect(try readSwitch("ip_forwarding") == "b false\n")
  }

  @Test("has the daemon started by the bus when a client asks for it")
  func isActivated() throws {
    try machine.succeed("systemctl", "stop", "toggled.service")
    #expect(try machine.run(["systemctl", "is-active", "toggled.service"]).output == "inactive\n")
    #expect(try readSwitch("ip_forwarding") == "b false\n")
    #expect(try machine.succeed("systemctl", "is-active", "toggled.service") == "active\n")
  }

  private func readSwitch(_ row: String) throws -> String {
    try machine.succeed(
      "busctl", "--system", "get-property", "org.toggled", "/org/toggled",
      "org.toggled.Switches1", row)
  }
}
