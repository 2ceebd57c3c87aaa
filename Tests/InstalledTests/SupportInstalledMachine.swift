// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// A booted machine in which the package that `make deb` made is installed, as an administrator
/// installs it: its unit is enabled and runs, its files are where a distribution has them.
///
///     @Suite(.serialized, .needsPackage) @MainActor struct …Tests {
///       let machine = try InstalledMachine.shared.get()
///       try machine.succeed("systemctl", "restart", "toggled.service")
///
/// What it depends on is there already, since the machine has what this system has. polkit starts
/// with the first question.
enum InstalledMachine {
  /// One for the tests that leave it as they found it; booted when it is first asked for.
  @MainActor static let shared = Result { try make() }

  /// The same with a message bus of one's choice: `shared` where that is dbus-daemon.
  @MainActor static func on(_ bus: Machine.BusProgram) throws -> Machine {
    switch bus {
    case .daemon: try shared.get()
    case .broker: try onBroker.get()
    }
  }

  @MainActor private static let onBroker = Result { try make(bus: .broker) }

  /// Boots a machine and installs the package in it.
  /// - Parameters:
  ///   - bus: the program that is the message bus.
  ///   - files: what is to be there before: texts by absolute path, such as row files.
  static func make(
    bus: Machine.BusProgram = .daemon, files: [String: String] = [:]
  ) throws -> Machine {
    let machine = try Machine(bus: bus, files: files)
    try machine.install(Package.built)
    return machine
  }
}

extension Machine {
  /// Installs a package, by its path out here, as `dpkg -i` does.
  func install(_ package: String) throws {
    let name = PathParts(package).name
    try Files.replace(
      directory.path(name), with: Files.read(package, limit: 1 << 28), mode: 0o644)
    // Manuals are not looked up in here, and to index all of the system's takes seconds.
    try succeed("rm", "-f", "/var/lib/man-db/auto-update")
    try succeed("dpkg", "--force-unsafe-io", "--install", directory.path(name))
  }
}

// MARK: - The service in a machine

extension Machine {
  /// Settings of the service, by the unit's drop-in of this name.
  func configureService(_ settings: String, as name: String) throws {
    try write("[Service]\n\(settings)\n", to: "/run/systemd/system/toggled.service.d/\(name).conf")
    try succeed("systemctl", "daemon-reload")
  }

  /// Takes a drop-in away again, and has the service run as it was.
  func restoreService(without name: String) throws {
    try Files.remove(path("/run/systemd/system/toggled.service.d/\(name).conf"))
    try succeed("systemctl", "daemon-reload")
    try restartService()
  }

  /// Starts the service anew, however often that was done lately.
  func restartService() throws {
    try succeed("systemctl", "reset-failed", "toggled.service")
    try succeed("systemctl", "restart", "toggled.service")
  }

  /// A property of the unit of the service.
  func service(_ property: String) throws -> String {
    String(
      try succeed("systemctl", "show", "--property=\(property)", "--value", "toggled.service")
        .dropLast())
  }

  /// All that the journal has of the service, for the message of a failure.
  func serviceLog() throws -> String {
    try succeed("journalctl", "--no-pager", "--output=short-precise", "--unit=toggled.service")
  }

  /// Gives a row more time than a test waits for anything: what is behind it may be slow.
  func giveAmpleTime(to row: String) throws {
    try write("[Row]\nTimeout=600\n", to: "/run/toggled/rows/\(row).row.d/time.conf")
    try succeed("systemctl", "reload", "toggled.service")
  }

  /// Writes row files to /run, and has them read.
  func addRows(_ rows: [String: String]) throws {
    for (name, text) in rows { try write(text, to: "/run/toggled/rows/\(name).row") }
    try succeed("systemctl", "reload", "toggled.service")
  }

  /// Takes rows away that `addRows` added.
  func removeRows(_ names: some Collection<String>) throws {
    for name in names { try Files.remove(path("/run/toggled/rows/\(name).row")) }
    try succeed("systemctl", "reload", "toggled.service")
  }

  /// Runs togglectl for the machine's rows, which must succeed; what it printed.
  @discardableResult
  func togglectl(_ arguments: String...) throws -> String {
    let outcome = try run(["togglectl", "--system"] + arguments)
    guard outcome.status.isSuccess else {
      throw TestFailure("togglectl \(arguments): \(outcome.error)")
    }
    return outcome.output
  }
}

/// The Debian package of this source.
enum Package {
  /// Its path.
  static var built: String {
    get throws {
      let directory = Project.path(".build/deb")
      let names = try Files.list(directory).filter { $0.hasSuffix(".deb") }
      guard let name = names.first, names.count == 1 else {
        throw TestFailure("there is no package in \(directory): run make deb")
      }
      return "\(directory)/\(name)"
    }
  }

  /// Why there is none to test, or none that is as new as the sources; nil where there is.
  static let obstacle: String? = {
    do {
      let package = try built
      let sources = ["Config", "Makefile", "Package.swift", "Sources", "debian", "systemd"]
        .map { Project.path($0) }
      let newer = try Program.run(
        ["find"] + sources + ["-type", "f", "-newer", package, "-print", "-quit"])
      return newer.output.isEmpty
        ? nil : "the package is older than \(newer.output.dropLast()): run make deb"
    } catch {
      return "\(error)"
    }
  }()
}

extension Trait where Self == ConditionTrait {
  /// For tests that install the package in a machine: left out, with the reason, where there is no
  /// package or no machine can be had.
  static var needsPackage: ConditionTrait { needs(Machine.obstacle ?? Package.obstacle) }

  /// For tests of what `make deb` has built, without a machine.
  static var needsBuiltPackage: ConditionTrait { needs(Package.obstacle) }
}
