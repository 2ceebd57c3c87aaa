// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport

/// A private bus with a daemon, a client of it and perhaps a service, for one test.
///
/// The service and the client are scripts that speak the wire protocol by hand
/// (Scripts/backend_wire.py), so that they can send what no library would.
final class BackendScene {
  let bus: PrivateBus
  let files: TemporaryDirectory
  private(set) var client: SceneClient
  private(set) var daemon: Program?

  /// - Parameters:
  ///   - rows: row files by id, each without its `[Row]` group, which is added; it has ample time.
  ///   - user: whom the daemon runs as, in place of us.
  ///   - environment: more variables for the daemon.
  ///   - prepare: what is to be there before the daemon starts.
  init(
    _ rows: [String: String], bus kind: PrivateBus.Kind = .session,
    user: UInt32? = nil, environment: [String: String] = [:],
    prepare: (BackendScene) throws -> Void = { _ in }
  ) throws {
    bus = try PrivateBus(kind)
    files = try TemporaryDirectory()
    client = try SceneClient(bus.address)
    client.context = { [weak self] in self?.log ?? "" }
    try files.makeDirectory("rows")
    for (id, row) in rows { try writeRow(id, row) }
    try prepare(self)
    try startDaemon(try Self.becoming(user, bus, files), environment)
  }

  func writeRow(_ id: String, _ row: String) throws {
    let hasHeader = row.hasPrefix("[Row]")
    try files.write(hasHeader ? row : RowText.header(id) + row, to: "rows/\(id).row")
  }

  /// The program that runs another one as `user`, to whom the test's places are opened.
  private static func becoming(
    _ user: UInt32?, _ bus: PrivateBus, _ files: TemporaryDirectory
  ) throws -> [String] {
    guard let user else { return [] }
    for path in [bus.directory.path, files.path] { chmod(path, 0o755) }
    chmod(bus.directory.path("bus"), 0o666)
    chown(try files.makeDirectory("state"), user, user)
    return ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
  }

  private func startDaemon(_ prefix: [String], _ environment: [String: String]) throws {
    let program = try Program(
      prefix + [
        try Products.path("toggled"), "--session", "--address", bus.address, "--rows",
        files.path("rows"), "--state", files.path("state"),
      ],
      environment: bus.sessionEnvironment.merging(environment) { $1 })
    try program.waitForLine(containing: "rows on the session bus", on: .error)
    daemon = program
  }

  /// A service that obeys these commands before it is waited for; see Scripts/backend_service.py.
  func service(_ commands: [String]) throws -> SceneService {
    try SceneService(bus.address, commands)
  }

  /// Makes `name` a service that the bus starts with these commands.
  func addActivatable(_ name: String, _ commands: [String]) throws {
    let lines = commands.map { "\($0)\n" }.joined()
    let path = try files.write(lines, to: "\(name).commands")
    try bus.addService(
      name, command: "\(Python.path) \(Scripts.path("backend_service.py")) starter \(path)")
  }

  /// Whether the daemon is alive and answers for every row that is named.
  func requireAlive(_ rows: [String: String], _ what: String = "") throws {
    for (id, state) in rows.sorted(by: { $0.key < $1.key }) {
      let found = try client.get(id, "State")
      guard found == "\"\(state)\"" else {
        throw TestFailure("\(id) is \(found), expected \"\(state)\" \(what)\n\(log)")
      }
    }
    if let status = daemon?.exitStatus {
      throw TestFailure("the daemon \(status) \(what)\n\(log)")
    }
  }

  /// What the daemon has logged.
  var log: String { daemon?.text(.error) ?? "" }
}

/// The running Scripts/backend_service.py.
final class SceneService {
  let program: Program
  private var saidCount = 0

  init(_ address: String, _ commands: [String]) throws {
    program = try Program(
      [Python.path, Scripts.path("backend_service.py"), address], hasInput: true)
    try tell(commands)
  }

  /// Has the commands obeyed, and waits until they have been.
  func tell(_ commands: String...) throws {
    try tell(commands)
  }

  func tell(_ commands: [String]) throws {
    saidCount += 1
    let mark = "said \(saidCount)"
    for command in commands { try program.write("\(command)\n") }
    try program.write("say '\(mark)'\n")
    try waitForLine { $0 == mark }
  }

  /// The next call of this member that nobody waited for yet: `call MEMBER PATH FLAGS BODY`.
  @discardableResult
  func waitForCall(_ member: String) throws -> String {
    try waitForLine { $0.hasPrefix("call \(member) ") }
  }

  /// How many calls of the member have arrived so far.
  func countCalls(_ member: String) -> Int {
    program.text().split(separator: "\n").count { $0.hasPrefix("call \(member) ") }
  }

  /// Lines that were read while another was waited for.
  private var passed: [String] = []

  @discardableResult
  private func waitForLine(_ matches: (String) -> Bool) throws -> String {
    if let index = passed.firstIndex(where: matches) { return passed.remove(at: index) }
    while true {
      let line = try program.waitForLine { _ in true }
      if matches(line) { return line }
      passed.append(line)
    }
  }
}

/// A FIFO that a program of the daemon's writes lines into.
final class SceneFifo {
  let path: String
  private let reader: Program

  init(_ path: String) throws {
    self.path = path
    guard mkfifo(path, 0o600) == 0 else { throw Errno.current }
    // Opened for both, so that it does not end with its first writer.
    reader = try Program(["/bin/sh", "-c", "exec cat <> \"$1\"", "sh", path])
  }

  func nextLine() throws -> String {
    try reader.waitForLine { _ in true }
  }
}
