// SPDX-License-Identifier: MIT

import Glibc
import System

/// A booted machine of its own: this system's systemd as the first process of new namespaces, with
/// a system bus and logind. It boots in half a second, and this system does not notice.
///
///     @Suite(.serialized, .needsMachine) @MainActor struct …Tests {
///       let machine = try Machine.shared.get()
///       try machine.succeed("systemctl", "start", "NetworkManager.service")  // as root, inside
///       try machine.write(unit, to: "/etc/systemd/system/lamp.service")
///       try Connection(.address(machine.systemBus))                          // from outside
///
/// - What is installed on this system is installed in there, on a throw-away layer. No package's
///   service runs until it is started, or activated on D-Bus.
/// - The network is a loopback device; `ip link add` makes more, all its own. The clock can't be
///   set: CAP_SYS_TIME is gone, for there is one clock for all.
/// - Its files are to be reached at `path(_:)`. `directory`, and what is bound, have the same path
///   inside: row files, scripts, and the programs that were built.
/// - It ends with this object, or with the test process, however that ends; and with it all that
///   runs inside.
///
/// How it is made: the script `machine` beside this file.
package final class Machine {
  /// A program that is a message bus.
  package enum BusProgram: String, CaseIterable, Sendable {
    case daemon = "dbus-daemon"
    case broker = "dbus-broker"
  }

  /// A directory that has the same path inside.
  package let directory: TemporaryDirectory
  /// The first process, by the number that it has outside.
  package let processID: Int32
  private let supervisor: Program

  /// Boots a machine, and returns once it is up.
  /// - Parameters:
  ///   - bus: the program that is the message bus, whichever this system has.
  ///   - bindings: directories that are to have the same path inside.
  ///   - files: what is to be there before the boot: texts by absolute path.
  package init(
    bus: BusProgram = .daemon, binding bindings: [String] = [], files: [String: String] = [:]
  ) throws {
    directory = try TemporaryDirectory()
    // Whoever runs as somebody else inside is to reach it as well.
    chmod(directory.path, 0o755)
    for (path, text) in files { try directory.write(text, to: "files\(path)") }
    supervisor = try Program(
      [Self.script, "boot", directory.path, bus.rawValue] + bindings, hasInput: true)
    try supervisor.waitForLine { $0 == "booted" }
    let text = String(decoding: try Files.read(directory.path("pid"), limit: 32), as: UTF8.self)
    guard let processID = Int32(text.dropLast()) else {
      throw TestFailure("the machine's first process is said to be \(text)")
    }
    self.processID = processID
  }

  deinit {
    supervisor.closeInput()
    _ = try? supervisor.waitForExit()
  }

  private static var script: String { Project.path("Tests/TestSupport/machine") }

  /// Why there can't be a machine here, such as without root or in a container that may make no
  /// namespaces; nil where there can.
  package static let obstacle: String? = {
    do {
      let outcome = try Program.run([script, "check"])
      return outcome.status.isSuccess ? nil : outcome.error
    } catch {
      return "\(error)"
    }
  }()

  // MARK: Inside

  /// Starts a program inside, as root.
  package func start(
    _ arguments: [String], environment: [String: String] = [:], hasInput: Bool = false
  ) throws -> Program {
    try Program(
      [Self.script, "enter", directory.path] + arguments, environment: environment,
      hasInput: hasInput)
  }

  /// Runs a program inside to its end, as root, whatever that is.
  @discardableResult
  package func run(
    _ arguments: [String], environment: [String: String] = [:], input: String? = nil
  ) throws -> Program.Outcome {
    try Program.run(
      [Self.script, "enter", directory.path] + arguments, environment: environment, input: input)
  }

  /// Runs a program inside that must succeed; what it printed.
  @discardableResult
  package func succeed(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> String {
    let outcome = try run(arguments, environment: environment)
    guard outcome.status.isSuccess else {
      throw TestFailure(
        "\(arguments.joined(separator: " ")) \(outcome.status): \(outcome.error)\(outcome.output)")
    }
    return outcome.output
  }

  /// Where a file inside is found from outside.
  package func path(_ path: String) -> String { "/proc/\(processID)/root\(path)" }

  /// Writes a file inside, and makes the directories above it.
  package func write(_ text: String, to file: String) throws {
    let path = path(file)
    try Files.makeDirectories(PathParts(path).directory)
    try Files.replace(path, with: Array(text.utf8), mode: 0o644)
  }

  /// The address of the system bus, from outside.
  package var systemBus: String { "unix:path=\(path("/run/dbus/system_bus_socket"))" }

  // MARK: A user's session

  /// The address of root's session bus, from outside; there is one after `startUserManager()`.
  package var sessionBus: String { "unix:path=\(path("/run/user/0/bus"))" }

  /// What a program inside needs in its environment to find root's session bus and manager.
  package static let sessionEnvironment = [
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/0/bus", "HOME": "/root",
    "XDG_RUNTIME_DIR": "/run/user/0",
  ]

  /// Starts root's `systemd --user`, and returns when it serves D-Bus on its session bus.
  package func startUserManager() throws {
    try succeed("systemctl", "start", "user@0.service")
    let environment = Self.sessionEnvironment
    try succeed("systemctl", "--user", "start", "dbus.service", environment: environment)
    // It takes its name on the bus in its own time.
    try succeed(
      "gdbus", "wait", "--session", "--timeout=\(Int(patience / .seconds(1)))",
      "org.freedesktop.systemd1", environment: environment)
  }
}

extension Machine {
  /// One machine for the tests that leave it as they found it; booted when it is first asked for.
  @MainActor package static let shared = Result { try withToggled() }

  /// Boots a machine in which the build's programs run, by the paths that they have outside.
  package static func withToggled() throws -> Machine {
    let policy = Project.path("Config/dbus-1/system.d/org.toggled.conf")
    let text = try Files.read(policy, limit: 1 << 16)
    return try Machine(
      binding: [products],
      files: ["/etc/dbus-1/system.d/org.toggled.conf": String(decoding: text, as: UTF8.self)])
  }

  /// Where the build's programs are, so that they run inside by the paths that they have outside.
  package static var products: String {
    get throws { PathParts(try Products.path("toggled")).directory }
  }
}
