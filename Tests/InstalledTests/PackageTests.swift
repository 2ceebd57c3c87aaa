// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

@Suite("The installed package", .serialized, .needsPackage)
@MainActor
struct PackageTests {
  private let machine: Machine

  init() throws {
    machine = try InstalledMachine.shared.get()
  }

  @Test("runs the daemon from then on, and enables it for each boot and each login")
  func runs() throws {
    #expect(try machine.succeed("systemctl", "is-active", "toggled.service") == "active\n")
    #expect(try machine.succeed("systemctl", "is-enabled", "toggled.service") == "enabled\n")
    let ofUsers = try machine.succeed("systemctl", "--global", "is-enabled", "toggled.service")
    #expect(ofUsers == "enabled\n")
    #expect(try machine.readSwitch("ip_forwarding") == "b false\n")
  }

  @Test("has the bus start the daemon when a client asks for it")
  func isActivated() throws {
    try machine.succeed("systemctl", "stop", "toggled.service")
    #expect(try machine.run(["systemctl", "is-active", "toggled.service"]).output == "inactive\n")
    #expect(try machine.readSwitch("ip_forwarding") == "b false\n")
    // It answers before systemd has heard that it is ready, and may be activating still.
    let owner = try machine.succeed("busctl", "status", "org.toggled")
    #expect(owner.contains("Unit=toggled.service\n"), "\(owner)")
    try machine.succeed("systemctl", "start", "toggled.service")
  }

  @Test("lets nobody but root take the name, not even while the daemon is away")
  func nameIsRoots() throws {
    try machine.succeed("systemctl", "stop", "toggled.service")
    defer { _ = try? machine.succeed("systemctl", "start", "toggled.service") }
    let request = [
      "busctl", "--system", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
      "org.freedesktop.DBus", "RequestName", "su", "org.toggled", "4",
    ]
    let user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    let refused = try machine.run(user + request)
    #expect(refused.status == .exited(1))
    #expect(refused.error.contains("Access denied"))
    // The same call by root: the first and only owner.
    #expect(try machine.run(request).output == "u 1\n")
  }

  @Test(
    "depends on the package of each library that its programs are linked with",
    arguments: ["/usr/bin/togglectl", "/usr/libexec/toggled"])
  func dependencies(program: String) throws {
    let field = try machine.succeed(
      "dpkg-query", "--show", "--showformat=${Depends}", "toggled")
    let dependencies = Set(
      field.split(separator: ",").compactMap { $0.split(separator: " ").first.map(String.init) })
    let libraries = try machine.succeed("objdump", "--private-headers", program)
      .split(separator: "\n").map { $0.split(separator: " ") }
      .filter { $0.first == "NEEDED" }.compactMap(\.last)
    #expect(libraries.contains("libdbus-1.so.3"))
    for library in libraries {
      let found = try machine.succeed("dpkg-query", "--search", "*/\(library)")
      let owners = found.split(separator: "\n").compactMap { $0.split(separator: ":").first }
      #expect(owners.contains { dependencies.contains(String($0)) }, "\(library): \(found)")
    }
  }

  @Test("has units that systemd finds nothing to say about")
  func unitsAreClean() throws {
    for scope in ["--system", "--user"] {
      let outcome = try machine.run(
        ["systemd-analyze", scope, "verify", "toggled.service"],
        environment: ["XDG_RUNTIME_DIR": "/run"])
      #expect(outcome.status == .exited(0))
      #expect(outcome.output + outcome.error == "")
    }
  }

  @Test("has an action that asks for an administrator, and one for whoever sits at the machine")
  func actionsAreKnown() throws {
    func defaults(_ action: String) throws -> [String] {
      try machine.succeed("pkaction", "--verbose", "--action-id", action).split(separator: "\n")
        .filter { $0.contains("implicit") }
        .compactMap { $0.split(separator: " ").last.map(String.init) }
    }
    let password = "auth_admin_keep"
    #expect(try defaults("org.toggled.flip") == [password, password, password])
    #expect(try defaults("org.toggled.flip-seat") == [password, password, "yes"])
  }
}

extension Machine {
  /// What the daemon's board says of a row, as busctl puts it.
  func readSwitch(_ row: String) throws -> String {
    try succeed(
      "busctl", "--system", "get-property", "org.toggled", "/org/toggled",
      "org.toggled.Switches1", row)
  }
}
