// SPDX-License-Identifier: MIT

// The integration tests run the built binaries on a real bus of their own. Each test makes its
// stage anew: a bus, directories for rows and state, a daemon, and peers that talk to it. What a
// test says of order it takes from one connection's journal: the bus delivers in order.
//
// Suites are serialized: else all their stages would be made before the first test runs, more
// daemons and inotify instances than a machine gives one user.

import Glibc
import System
import TestSupport

/// A bus with toggled on it, and directories that the test fills.
@MainActor
final class Stage: Venue {
  enum Scope: String {
    case session, system
  }

  let scope: Scope
  let bus: PrivateBus
  let directory: TemporaryDirectory
  private(set) var daemon: Program?
  /// What the daemons before the present one logged.
  private var earlierLog = ""

  /// Makes a bus and the directories, with these row files and sections in them.
  ///
  /// - Parameter files: contents by name, such as `lamp.row`.
  init(_ scope: Scope = .session, _ files: [String: String] = [:]) throws {
    self.scope = scope
    bus = try PrivateBus(scope == .system ? .system : .session)
    directory = try TemporaryDirectory()
    try directory.makeDirectory("rows")
    for (name, text) in files { try write(name, text) }
  }

  /// The same, with a daemon that serves the rows.
  static func serving(
    _ files: [String: String], on scope: Scope = .session, environment: [String: String] = [:]
  ) throws -> Stage {
    let stage = try Stage(scope, files)
    try stage.start(environment: environment)
    return stage
  }

  var address: String { bus.address }
  var rows: String { directory.path("rows") }
  var state: String { directory.path("state") }

  /// Writes a row file, as an atomic replacement.
  func write(_ name: String, _ text: String) throws {
    try directory.write(text, to: "rows/\(name)")
  }

  func remove(_ name: String) throws {
    try Files.remove("\(rows)/\(name)")
  }

  /// The names in the state directory; none while there is no such directory.
  func storedFiles() throws -> [String] {
    Files.exists(state) ? try Files.list(state).sorted() : []
  }

  // MARK: The daemon

  /// What starts a daemon here.
  var arguments: [String] {
    get throws {
      [
        try Products.path("toggled"), "--\(scope.rawValue)", "--rows", rows, "--state", state,
        "--address", bus.address,
      ]
    }
  }

  var environment: [String: String] {
    ["HOME": directory.path]
      .merging(scope == .session ? bus.sessionEnvironment : bus.systemEnvironment) { own, _ in own }
  }

  /// Starts the daemon, and returns when it owns its name and has read the rows.
  func start(_ more: [String] = [], environment: [String: String] = [:]) throws {
    let daemon = try launch(more, environment: environment)
    try daemon.waitForLine(containing: "rows on the \(scope.rawValue) bus", on: .error)
  }

  /// Starts the daemon, and returns at once.
  ///
  /// - Parameter wrapper: a program that runs the daemon, with its own arguments.
  @discardableResult
  func launch(
    _ more: [String] = [], environment: [String: String] = [:], within wrapper: [String] = []
  ) throws -> Program {
    earlierLog = log
    let daemon = try Program(
      wrapper + arguments + more, environment: self.environment.merging(environment) { $1 })
    self.daemon = daemon
    return daemon
  }

  /// Asks the daemon to leave, and waits until it has.
  @discardableResult
  func stop(_ signal: Int32 = SIGTERM) throws -> ExitStatus {
    guard let daemon else { throw TestFailure("no daemon is running") }
    try daemon.send(signal)
    let status = try daemon.waitForExit()
    return status
  }

  /// All that was logged here, for the message of a failure.
  var log: String { earlierLog + (daemon?.text(.error) ?? "") }

  /// Waits for a line of the daemon's log.
  @discardableResult
  func waitForLog(_ part: String) throws -> String {
    guard let daemon else { throw TestFailure("no daemon is running") }
    return try daemon.waitForLine(containing: part, on: .error)
  }
}

// MARK: - Row files

/// Texts of row files.
enum RowText {
  /// A Timeout, in seconds, that does not pass while a test waits for anything: where it is not
  /// about time, none is to run out on a machine that is slow.
  static let ample = 600

  /// The `[Row]` group of a row, which has ample time unless its keys say otherwise.
  static func header(_ title: String, _ keys: String = "") -> String {
    let time = keys.contains("Timeout=") ? "" : "Timeout=\(ample)\n"
    return "[Row]\nTitle=\(title)\n\(keys)\n\(time)"
  }

  /// A row that keeps its value itself.
  static func stored(
    _ title: String = "Lamp", _ keys: String = "", backend: String = ""
  ) -> String {
    header(title, keys) + "[Backend]\nType=stored\n\(backend)\n"
  }

  /// A row that reads and writes a file that holds 1 or 0.
  static func file(_ path: String, _ keys: String = "", backend: String = "") -> String {
    header("Knob", keys) + "[Backend]\nType=file\nPath=\(path)\nOn=1\nOff=0\n\(backend)\n"
  }

  /// A row whose service never answers, or not before it is told to; see `MuteService` and
  /// `SceneService.holding(on:)`.
  static func mute(keys: String = "") -> String {
    header("Mute", keys) + """
      [Backend]
      Type=dbus
      Bus=\(keys.contains("Bus=system") ? "system" : "session")
      Service=org.example.Mute
      Path=/
      Interface=org.example.Mute
      Property=On
      On=true
      Off=false

      """
  }

  /// A row of a systemd unit.
  static func unit(_ unit: String, _ keys: String = "", backend: String = "") -> String {
    header("Unit", keys) + "[Backend]\nType=unit\nUnit=\(unit)\n\(backend)\n"
  }

  static func group(_ members: String, backend: String = "") -> String {
    header("Group") + "[Backend]\nType=group\nRows=\(members)\n\(backend)\n"
  }
}
