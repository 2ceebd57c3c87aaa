// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// One of the rows that ship, with the tool that comes with what it switches.
struct ShippedRow: Sendable, CustomTestStringConvertible {
  /// Its id.
  var id: String
  /// Which of several things that it can switch.
  var provider = ""
  /// Programs that make the real thing ready before the daemon starts.
  var preparations: [[String]] = []
  /// What tells the value.
  var reader: [String]
  /// What the reader prints, or begins to print, where the row is on, and off.
  var texts: (on: String, off: String)
  /// What turns the thing on, and off.
  var setters: (on: [String], off: [String])
  /// The bus name of the program that heeds it, where that matters.
  var busName: String?
  /// What the row is on the way, where the setters do two things, one after the other.
  var passage: String?

  var testDescription: String {
    let name = provider.isEmpty ? id : "\(id) by \(provider)"
    return busName.map { "\(name) for \($0)" } ?? name
  }
}

/// A daemon with the rows that ship, on a bus where what they switch is.
///
/// `expectTrue(_:)` is what each of them has to stand; what is particular to one goes on from there
/// with `client`, `read` and `run`.
final class ShippedScene {
  /// Runs a program where the real things are.
  typealias Runner = ([String]) throws -> Program.Outcome

  let client: SceneClient
  private let daemon: Program
  private let runner: Runner

  /// - Parameters:
  ///   - address: the bus, as this process reaches it.
  ///   - runner: runs a program where the real things are.
  ///   - daemon: a daemon that has just been started on that bus, with the rows of `files`.
  init(_ address: String, runner: @escaping Runner, daemon: Program) throws {
    self.runner = runner
    self.daemon = daemon
    client = try SceneClient(address)
    client.context = { daemon.text(.error) }
    try daemon.waitForLine(containing: "rows on the ", on: .error)
  }

  /// The files of Config/rows, by name. The rows have ample time: what they switch may be slow.
  static var files: [String: String] {
    get throws {
      let directory = Project.path("Config/rows")
      return try Dictionary(
        uniqueKeysWithValues: Files.list(directory).map { name in
          let bytes = try Files.read("\(directory)/\(name)", limit: 1 << 16)
          let text = String(decoding: bytes, as: UTF8.self)
          return (name, text.replacing("[Row]\n", with: "[Row]\nTimeout=\(RowText.ample)\n"))
        })
    }
  }

  /// Runs a program that must succeed; what it printed.
  @discardableResult
  func run(_ arguments: [String]) throws -> String {
    let outcome = try runner(arguments)
    guard outcome.status.isSuccess else {
      throw TestFailure("\(arguments.joined(separator: " ")) \(outcome.status): \(outcome.error)")
    }
    return outcome.output
  }

  /// What the row's own tool says of it. Some say it with their exit status too.
  func read(_ row: ShippedRow) throws -> Bool {
    let outcome = try runner(row.reader)
    let text = outcome.output.trimmed
    if text.hasPrefix(row.texts.on) { return true }
    if text.hasPrefix(row.texts.off) { return false }
    throw TestFailure(
      "\(row.reader.joined(separator: " ")) says neither '\(row.texts.on)' nor "
        + "'\(row.texts.off)': \(text)\(outcome.error)")
  }

  /// What PropertiesChanged tells of the row's State while `body` runs, and until the daemon has
  /// answered for the row once more.
  func states(of id: String, during body: () throws -> Void) throws -> [String] {
    let earlier = client.announced(id, "State").count
    try body()
    try #require(client.call(id, "Refresh") == "ok []")
    return Array(client.announced(id, "State").dropFirst(earlier))
  }

  /// The row follows its thing: flipped through the bus it changes the thing as its own tool sees
  /// it, both ways; and changed by that tool it says so, once.
  func expectTrue(_ row: ShippedRow) throws {
    let first = try read(row)
    try client.await(row.id, first.word)
    for on in [!first, first] {
      let states = try states(of: row.id) {
        let answer = try client.setOn(row.id, on)
        #expect(answer == "ok [true]", "flipped \(on.word)")
        let found = try read(row)
        #expect(found == on, "flipped \(on.word)")
      }
      #expect(states == ["\"\(on.word)\""], "flipped \(on.word)")
    }
    for on in [!first, first] {
      let states = try states(of: row.id) {
        try run(on ? row.setters.on : row.setters.off)
        try client.await(row.id, on.word)
        // Only now, for some tools don't wait for what they do.
        let found = try read(row)
        #expect(found == on, "turned \(on.word) by its tool")
      }
      // What it is on the way may be over before it can be told: twenty times a second at most.
      let full = [row.passage, on.word].compactMap { $0 }.map { "\"\($0)\"" }
      #expect(states == full || states == full.suffix(1), "turned \(on.word) by its tool")
    }
  }
}

extension Bool {
  /// As Row1's State has it.
  fileprivate var word: String { self ? "on" : "off" }
}

extension String {
  /// Without what white space it begins and ends with.
  fileprivate var trimmed: Substring {
    let start = drop(while: \.isWhitespace)
    return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
  }
}

// MARK: - Where the daemon runs

extension ShippedScene {
  /// A daemon on a bus like the system's, with the machine's rows that ship and others.
  convenience init(
    on bus: PrivateBus, in directory: TemporaryDirectory, rows: [String: String] = [:],
    arguments: [String] = []
  ) throws {
    for (name, text) in try Self.files.merging(rows, uniquingKeysWith: { $1 }) {
      try directory.write(text, to: "rows/\(name)")
    }
    let environment = bus.systemEnvironment
    let daemon = try Program(
      [
        Products.path("toggled"), "--system", "--rows", directory.path("rows"), "--state",
        directory.path("state"), "--address", bus.address,
      ] + arguments,
      environment: environment)
    try self.init(
      bus.address, runner: { try Program.run($0, environment: environment) }, daemon: daemon)
  }

  /// A daemon on the system bus of a machine, with the machine's rows that ship.
  ///
  /// - Parameter isAlone: whether it has this row alone.
  convenience init(_ row: ShippedRow, in machine: Machine, isAlone: Bool = false) throws {
    let rows = isAlone ? "\(row.id)-alone" : "rows"
    for (name, text) in try Self.files where !isAlone || name == "\(row.id).row" {
      try machine.directory.write(text, to: "\(rows)/\(name)")
    }
    let policy = Project.path("Config/dbus-1/system.d/org.toggled.conf")
    try machine.write(
      String(decoding: Files.read(policy, limit: 1 << 16), as: UTF8.self),
      to: "/etc/dbus-1/system.d/org.toggled.conf")
    try machine.succeed(
      "busctl", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "ReloadConfig")
    for arguments in row.preparations {
      let outcome = try machine.run(arguments)
      guard outcome.status.isSuccess else {
        throw TestFailure("\(arguments.joined(separator: " ")): \(outcome.error)")
      }
    }
    let daemon = try machine.start([
      Products.path("toggled"), "--system", "--rows", machine.directory.path(rows), "--state",
      machine.directory.path("state"),
    ])
    try self.init(machine.systemBus, runner: { try machine.run($0) }, daemon: daemon)
  }
}
