// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import System
import TestSupport
import Testing

/// A session with dconf, schemas of its own, and a daemon with one row.
@MainActor
private final class Session {
  let stage: Stage
  let environment: [String: String]

  static let schema = """
    <schemalist>
      <schema id="org.example.lamp" path="/org/example/lamp/">
        <key name="lit" type="b"><default>false</default></key>
        <key name="scheme" type="s"><default>'default'</default></key>
      </schema>
      <schema id="org.example.profile">
        <key name="quiet" type="b"><default>false</default></key>
      </schema>
    </schemalist>
    """

  init(_ backend: String, lock: String? = nil, store: String = "dconf") throws {
    stage = try Stage(.session, ["lamp.row": RowText.header("Lamp") + "[Backend]\n\(backend)\n"])
    let directory = stage.directory
    for name in ["schemas", "run", "config", "locks"] { try directory.makeDirectory(name) }
    try directory.write(Self.schema, to: "schemas/lamp.gschema.xml")
    try run(["glib-compile-schemas", directory.path("schemas")], [:])
    var environment = stage.bus.sessionEnvironment
    environment["HOME"] = directory.path
    environment["PATH"] = "/usr/bin:/bin"
    environment["GSETTINGS_SCHEMA_DIR"] = directory.path("schemas")
    environment["XDG_RUNTIME_DIR"] = directory.path("run")
    environment["XDG_CONFIG_HOME"] = directory.path("config")
    environment["GSETTINGS_BACKEND"] = store
    if let lock {
      try directory.makeDirectory("db.d")
      try directory.makeDirectory("db.d/locks")
      try directory.write("[org/example/lamp]\nlit=true\n", to: "db.d/00")
      try directory.write("\(lock)\n", to: "db.d/locks/00")
      try run(["dconf", "compile", directory.path("admin"), directory.path("db.d")], environment)
      try directory.write(
        "user-db:user\nfile-db:\(directory.path("admin"))\n", to: "profile")
      environment["DCONF_PROFILE"] = directory.path("profile")
    }
    self.environment = environment
    let variables = environment.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
    try stage.bus.addService(
      "ca.desrt.dconf", command: "/usr/bin/env \(variables) /usr/libexec/dconf-service")
    try stage.start(environment: environment)
  }

  /// Runs a tool of GSettings' or dconf's.
  func tool(_ arguments: String...) throws {
    try run(arguments, environment)
  }

  /// What GSettings' own tool reads.
  func value(_ key: String) throws -> String {
    try Program.run(["gsettings", "get", "org.example.lamp", key], environment: environment).output
  }
}

private func run(_ arguments: [String], _ environment: [String: String]) throws {
  let outcome = try Program.run(arguments, environment: environment)
  try #require(outcome.status.isSuccess, "\(arguments): \(outcome.error)")
}

@MainActor
@Suite("a gsettings row", .serialized)
struct GSettingsTests {
  private let lit = "Type=gsettings\nSchema=org.example.lamp\nKey=lit"

  /// A peer that has seen the row's first reading.
  private func peer(_ session: Session, state: String) throws -> Peer {
    let peer = try Peer(session.stage)
    try peer.wait("the state \(state)") { (try? peer.state("lamp")) == state }
    _ = try peer.takeJournal()
    return peer
  }

  @Test("is flipped for real, and follows dconf and gsettings, each change told once")
  func follows() throws {
    let session = try Session(lit)
    let peer = try peer(session, state: "off")
    try peer.setOn("lamp", true)
    #expect(try session.value("lit") == "true\n")
    _ = try peer.takeJournal()

    let changes: [(tool: [String], on: Bool)] = [
      (["gsettings", "set", "org.example.lamp", "lit", "false"], false),
      (["dconf", "write", "/org/example/lamp/lit", "true"], true),
      (["gsettings", "reset", "org.example.lamp", "lit"], false),
      (["dconf", "write", "/org/example/lamp/lit", "true"], true),
      (["dconf", "reset", "-f", "/org/example/"], false),
    ]
    for (tool, on) in changes {
      try run(tool, session.environment)
      let line = "rows/lamp Row1 IsOn=\(on) State='\(on ? "on" : "off")'"
      try peer.wait(for: line)
      // Another key's change has the same row read, and says nothing new.
      try session.tool("dconf", "write", "/org/example/other/lit", "false")
      #expect(try peer.takeJournal().filter { $0.hasPrefix("rows/lamp") } == [line], "\(tool)")
    }
  }

  @Test("with values of its own is on, off, or neither")
  func values() throws {
    let session = try Session(
      "Type=gsettings\nSchema=org.example.lamp\nKey=scheme\nOn='dark'\nOff='default';'light'")
    let peer = try peer(session, state: "off")
    try session.tool("gsettings", "set", "org.example.lamp", "scheme", "dark")
    try peer.wait("on") { (try? peer.state("lamp")) == "on" }
    try session.tool("gsettings", "set", "org.example.lamp", "scheme", "sepia")
    try peer.wait("neither") { (try? peer.state("lamp")) == "unknown (unrecognised)" }
    #expect(
      try peer.row("lamp", "ReasonText")
        == "\"org.example.lamp scheme is 'sepia', neither On nor Off\"")
    try peer.setOn("lamp", false)
    #expect(try session.value("scheme") == "'default'\n")
  }

  @Test("is what its text is to the letter, however long or odd")
  func exactly() throws {
    let long = String(repeating: "x", count: 300)
    let session = try Session(
      "Type=gsettings\nSchema=org.example.lamp\nKey=scheme\nOn='a  b\\tc'\nOff='\(long)'")
    let peer = try peer(session, state: "unknown (unrecognised)")
    try session.tool("gsettings", "set", "org.example.lamp", "scheme", "'a  b\\tc'")
    try peer.wait("on") { (try? peer.state("lamp")) == "on" }
    try session.tool("gsettings", "set", "org.example.lamp", "scheme", "'a b\\tc'")
    try peer.wait("neither") { (try? peer.state("lamp")) == "unknown (unrecognised)" }
    try peer.setOn("lamp", false)
    #expect(try peer.state("lamp") == "off")
  }

  @Test("that is flipped to and fro answers each, and ends as the last one wished")
  func toAndFro() throws {
    let session = try Session(lit)
    let peer = try peer(session, state: "off")
    let calls = (1...8).map { peer.sendSetOn("lamp", $0 % 2 == 1, label: "SetOn \($0)") }
    for call in calls { try peer.wait("an answer") { call.outcome != nil } }
    #expect(try peer.state("lamp") == "off")
    #expect(try session.value("lit") == "false\n")
  }

  @Test("of a schema without a path of its own is known by the path it is given")
  func relocatable() throws {
    let session = try Session(
      "Type=gsettings\nSchema=org.example.profile\nKey=quiet\nPath=/org/example/profile/one/")
    let peer = try peer(session, state: "off")
    try peer.setOn("lamp", true)
    _ = try peer.takeJournal()
    try session.tool("dconf", "write", "/org/example/profile/two/quiet", "true")
    try session.tool("dconf", "write", "/org/example/profile/one/quiet", "false")
    try peer.wait(for: "rows/lamp Row1 IsOn=false State='off'")
  }

  @Test(
    "whose schema or key is not there says which",
    arguments: [
      ("Schema=org.example.none\nKey=lit", "there is no GSettings schema org.example.none"),
      (
        "Schema=org.example.lamp\nKey=none", "the GSettings schema org.example.lamp has no key none"
      ),
    ])
  func missing(keys: String, text: String) throws {
    let session = try Session("Type=gsettings\n\(keys)")
    let peer = try peer(session, state: "unknown (not-found)")
    #expect(try peer.row("lamp", "ReasonText").contains(text))
    #expect(try peer.row("lamp", "Available") == "false")
    let error = try peer.error(of: peer.sendSetOn("lamp", true))
    #expect(error.name == "org.toggled.Error.Unavailable" && error.message.contains(text))
  }

  @Test("that an administrator has locked says so beside its value, and is tried all the same")
  func locked() throws {
    let session = try Session(lit, lock: "/org/example/lamp/lit")
    let peer = try peer(session, state: "on (no-access)")
    let error = try peer.error(of: peer.sendSetOn("lamp", false))
    #expect(error.name == "org.freedesktop.DBus.Error.AccessDenied")
    #expect(error.message.contains("org.example.lamp lit is locked by the administrator"))
    #expect(try peer.state("lamp") == "on (no-access)")
  }

  @Test("works where another store than dconf is behind GSettings")
  func keyfile() throws {
    let session = try Session(lit, store: "keyfile")
    let peer = try peer(session, state: "off")
    try peer.setOn("lamp", true)
    #expect(try session.value("lit") == "true\n")
    try session.tool("gsettings", "set", "org.example.lamp", "lit", "false")
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    #expect(try peer.state("lamp") == "off")
  }

  @Test("runs no program while nothing changes")
  func idle() throws {
    let session = try Session(lit)
    let peer = try peer(session, state: "off")
    try peer.setOn("lamp", true)
    let daemon = try #require(session.stage.daemon)
    let children = "/proc/\(daemon.processID)/task/\(daemon.processID)/children"
    // What dconf told of the flip itself is being read.
    try peer.wait("the last program's end") {
      (try? Files.read(children, limit: 1000))?.isEmpty ?? false
    }
  }
}
