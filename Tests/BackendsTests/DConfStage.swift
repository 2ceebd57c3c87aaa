// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import Settings
import System
import TestSupport
import Testing

@testable import Backends

/// A user's dconf database, and a bus on which the test tells of its changes in dconf's place: when
/// it likes, and what it likes. The database's files are of dconf's own making, and what reads them
/// is the real `gsettings`.
@MainActor
final class DConfStage {
  let stage: Stage
  let backend: GSettingsBackend
  private let dconf: DConf
  private let bus: PrivateBus
  private let writer: Connection
  private let schema: String

  /// The path of the schema's keys.
  static let path = "/org/example/lamp/"

  init() throws {
    stage = try Stage()
    let directory = stage.directory
    for name in ["schemas", "config", "config/dconf", "run"] { try directory.makeDirectory(name) }
    try directory.write(
      """
      <schemalist>
        <schema id="org.example.lamp" path="\(Self.path)">
          <key name="lit" type="b"><default>false</default></key>
        </schema>
      </schemalist>
      """, to: "schemas/lamp.gschema.xml")
    try Self.run(["glib-compile-schemas", directory.path("schemas")])
    schema = directory.path("schemas/gschemas.compiled")
    let bus = try PrivateBus()
    let own = try Connection(.address(bus.address))
    try own.attach(to: stage.loop)
    writer = try Connection(.address(bus.address))
    try writer.attach(to: stage.loop)
    _ = try writer.requestName("ca.desrt.dconf")
    self.bus = bus
    let runner = ProgramRunner(
      loop: stage.loop,
      environment: [
        "HOME": directory.path, "XDG_CONFIG_HOME": directory.path("config"),
        "XDG_RUNTIME_DIR": directory.path("run"),
        "GSETTINGS_SCHEMA_DIR": directory.path("schemas"),
        "DBUS_SESSION_BUS_ADDRESS": bus.address,
      ])
    dconf = DConf(link: BusLink(.session, own, on: stage.loop), runner: runner)
    backend = GSettingsBackend(
      GSettingsBackendDefinition(
        schema: "org.example.lamp", key: "lit", on: [try .parse("true")],
        off: [try .parse("false")]),
      of: "lamp", timeout: patience, runner: runner,
      dconf: dconf)
  }

  private static func run(_ arguments: [String]) throws {
    let outcome = try Program.run(arguments)
    guard outcome.status.isSuccess else { throw TestFailure("\(arguments): \(outcome.error)") }
  }

  /// The bytes of a database with these lines, in dconf's own making.
  static func database(_ lines: String, in directory: TemporaryDirectory) throws -> [UInt8] {
    try directory.write(lines, to: "compiled.d/lines")
    try run(["dconf", "compile", directory.path("compiled"), directory.path("compiled.d")])
    return try Files.read(directory.path("compiled"), limit: 1 << 20)
  }

  /// Puts another database in the place of the one that is there, as dconf does.
  func replace(_ lines: String) throws {
    let bytes = try Self.database(lines, in: stage.directory)
    try Files.replace(stage.directory.path("config/dconf/user"), with: bytes)
  }

  /// A database in which the lamp is lit, or not.
  func replace(lit: Bool, besides more: String = "") throws {
    try replace("[org/example/lamp]\nlit=\(lit)\n\(more)")
  }

  /// Starts the backend, with where its key lies known: else that is found out beside the first
  /// reading.
  func start() throws {
    var path: String?
    dconf.paths.find("org.example.lamp", for: "lamp", timeout: patience) { path = $0 }
    try stage.turn("the path") { path != nil }
    guard path == Self.path else { throw TestFailure("the path is \(path ?? "none")") }
    stage.start(backend)
  }

  /// Tells of a change as dconf does.
  func notify(
    _ values: [Value] = [
      .string("\(path)lit"), .array(of: .string, [.string("")]), .string("tag"),
    ],
    member: MemberName = "Notify", by object: ObjectPath = "/ca/desrt/dconf/Writer/user"
  ) throws {
    try writer.emit(member, of: "ca.desrt.dconf.Writer", at: object) { writer in
      for value in values { writer.append(value) }
    }
  }

  /// Has both values seen once.
  func learn() throws {
    for lit in [true, false] {
      stage.forgetReports()
      try replace(lit: lit)
      try notify()
      try stage.awaitReport(Reading(lit))
    }
  }

  /// From here on `gsettings` knows no schema any more: what it is asked for is not there.
  func forgetSchema() throws { try Files.remove(schema) }
}
