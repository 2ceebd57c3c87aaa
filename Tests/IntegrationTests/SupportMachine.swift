// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import System
import TestSupport
import Testing

extension Machine {
  /// Makes units, by their names, or replaces them.
  func addUnits(_ units: [String: String]) throws {
    for (name, text) in units { try write(text, to: "/run/systemd/system/\(name)") }
    try succeed("systemctl", "daemon-reload")
  }
}

/// A place in a machine where a program waits until it is told to go on.
struct Gate {
  private let machine: Machine
  private let path: String

  init(_ name: String, in machine: Machine) throws {
    self.machine = machine
    path = machine.directory.path(name)
    try machine.succeed("mkfifo", path, "\(path).arrival")
  }

  /// A unit's command that waits here.
  var command: String { "/bin/sh -c '\(script)'" }

  /// What a shell does to wait here.
  var script: String { "echo here >\(path).arrival; read go <\(path)" }

  /// Returns once a program waits here.
  func waitForArrival() throws {
    try machine.succeed("sh", "-c", "read here <\(path).arrival")
  }

  /// Lets a program go on that has arrived.
  func open() throws {
    try machine.succeed("sh", "-c", "echo go >\(path)")
  }
}

/// A daemon in a booted machine, with directories that the test fills.
@MainActor
final class MachineStage: Venue {
  let machine: Machine
  let scope: Stage.Scope
  let directory: TemporaryDirectory
  private(set) var daemon: Program?

  /// Starts a daemon on the machine's system bus, or on root's session bus, that serves these rows.
  init(
    _ machine: Machine, _ files: [String: String], on scope: Stage.Scope = .system,
    environment: [String: String] = [:]
  ) throws {
    self.machine = machine
    self.scope = scope
    directory = try TemporaryDirectory(in: machine.directory.path)
    try directory.makeDirectory("rows")
    for (name, text) in files { try write(name, text) }
    try waitForFreeName()
    let daemon = try machine.start(
      [
        try Products.path("toggled"), "--\(scope.rawValue)", "--rows", directory.path("rows"),
        "--state", directory.path("state"),
      ],
      environment: (scope == .session ? Machine.sessionEnvironment : [:])
        .merging(environment) { $1 })
    self.daemon = daemon
    try daemon.waitForLine(containing: "rows on the \(scope.rawValue) bus", on: .error)
  }

  /// The bus needs a moment to notice that the daemon before this one was killed.
  private func waitForFreeName() throws {
    let loop = try EventLoop()
    let connection = try Connection(.address(address))
    try connection.attach(to: loop)
    var isFree = false
    let watch = connection.watchName("org.toggled") { owner in isFree = owner == nil }
    let deadline = EventLoop.now + patience
    try withExtendedLifetime(watch) {
      while !isFree {
        guard EventLoop.now < deadline else { throw TestFailure("another daemon has the name") }
        try loop.turn(atMost: patience)
      }
    }
  }

  /// Writes a row file, as an atomic replacement.
  func write(_ name: String, _ text: String) throws {
    try directory.write(text, to: "rows/\(name)")
  }

  func remove(_ name: String) throws {
    try Files.remove(directory.path("rows/\(name)"))
  }

  var address: String { scope == .system ? machine.systemBus : machine.sessionBus }
  var log: String { daemon?.text(.error) ?? "" }
}
