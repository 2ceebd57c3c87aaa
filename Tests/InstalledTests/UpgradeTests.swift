// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

@Suite("The package", .serialized, .needsPackage)
@MainActor
struct UpgradeTests {
  private static let row = "/etc/toggled/rows/lamp.row"
  private static let dropIn = "/etc/systemd/system/toggled.service.d/own.conf"
  private static let administrators = [
    row: "[Row]\nTitle=Lamp\nBus=system\n[Backend]\nType=stored\n",
    dropIn: "[Service]\nNice=1\n",
  ]
  private let machine: Machine

  init() throws {
    machine = try Machine(files: Self.administrators)
  }

  @Test("keeps what is stored through an upgrade, and runs the new daemon after it")
  func upgrades() throws {
    try machine.install(older(than: Package.built))
    #expect(try version() == "0.0.1")
    #expect(try runningProgramEnds(with: Self.mark))
    try flip()
    try machine.install(Package.built)
    #expect(try version() != "0.0.1")
    #expect(try !runningProgramEnds(with: Self.mark))
    #expect(try machine.succeed("systemctl", "is-active", "toggled.service") == "active\n")
    #expect(try machine.readSwitch("lamp") == "b true\n")
  }

  @Test("leaves a daemon that was disabled so through an upgrade")
  func staysDisabled() throws {
    try machine.install(older(than: Package.built))
    try machine.succeed("systemctl", "disable", "--now", "toggled.service")
    try machine.install(Package.built)
    #expect(try machine.run(["systemctl", "is-enabled", "toggled.service"]).output == "disabled\n")
    #expect(try machine.run(["systemctl", "is-active", "toggled.service"]).output == "inactive\n")
  }

  @Test("stops the daemon when it is removed, and finds what was stored when it comes back")
  func removes() throws {
    try machine.install(Package.built)
    try flip()
    try machine.succeed("dpkg", "--remove", "toggled")
    let asked = try machine.run(["busctl", "--system", "status", "org.toggled"])
    #expect(asked.status != .exited(0))
    #expect(try machine.run(["pidof", "/usr/libexec/toggled"]).status == .exited(1))
    #expect(!Files.exists(machine.path("/usr/share/toggled")))
    #expect(Files.exists(machine.path(Self.row)))
    try machine.install(Package.built)
    #expect(try machine.readSwitch("lamp") == "b true\n")
  }

  @Test("takes what was stored along when it is purged, and nothing of the administrator's")
  func purges() throws {
    try machine.install(Package.built)
    try flip()
    #expect(Files.exists(machine.path("/var/lib/toggled")))
    try machine.succeed("dpkg", "--purge", "toggled")
    #expect(!Files.exists(machine.path("/var/lib/toggled")))
    for (path, text) in Self.administrators {
      #expect(try machine.succeed("cat", path) == text)
    }
    let leftOvers = try machine.succeed(
      "find", "/etc", "/usr", "/var/lib", "-name", "*toggled*", "-not", "-path", "/etc/toggled",
      "-not", "-path", "\(PathParts(Self.dropIn).directory)")
    #expect(leftOvers == "")
    try machine.install(Package.built)
    #expect(try machine.readSwitch("lamp") == "b false\n")
  }

  private func flip() throws {
    try machine.succeed("togglectl", "--system", "on", "lamp")
    #expect(try machine.readSwitch("lamp") == "b true\n")
  }

  /// Whether the daemon's own file, which is not what lies under its name once that was replaced,
  /// ends so.
  private func runningProgramEnds(with mark: String) throws -> Bool {
    let process = try machine.service("MainPID")
    let end = try machine.succeed("tail", "--bytes=\(mark.utf8.count)", "/proc/\(process)/exe")
    return end == mark
  }

  private func version() throws -> String {
    try machine.succeed("dpkg-query", "--show", "--showformat=${Version}", "toggled")
  }

  /// What is at the end of an older package's daemon, where the loader does not look.
  private static let mark = "the older one"

  /// The same package with a version that is before any of ours, and a daemon that can be told from
  /// ours.
  private func older(than package: String) throws -> String {
    let (tree, older) = (machine.directory.path("tree"), machine.directory.path("older.deb"))
    for step in [
      ["dpkg-deb", "--raw-extract", package, tree],
      ["sed", "-i", "s/^Version: .*/Version: 0.0.1/", "\(tree)/DEBIAN/control"],
      ["sh", "-c", "printf %s \"$1\" >>\"$0\"", "\(tree)/usr/libexec/toggled", Self.mark],
      ["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, older],
    ] {
      let outcome = try Program.run(step)
      guard outcome.status.isSuccess else {
        throw TestFailure("\(step.joined(separator: " ")): \(outcome.error)")
      }
    }
    return older
  }
}
