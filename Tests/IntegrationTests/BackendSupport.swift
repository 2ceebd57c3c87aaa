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
  ///   - rows: row files by id, each without its `[Row]` group, which is added.
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
    try files.makeDirectory("rows")
    for (id, row) in rows { try writeRow(id, row) }
    try prepare(self)
    try startDaemon(try Self.becoming(user, bus, files), environment)
  }

  func writeRow(_ id: String, _ row: String) throws {
    let hasHeader = row.hasPrefix("[Row]")
    try files.write(hasHeader ? row : "[Row]\nTitle=\(id)\n\(row)", to: "rows/\(id).row")
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

enum Scripts {
  static func path(_ name: String, file: String = #filePath) -> String {
    "\(PathParts(file).directory)/Scripts/\(name)"
  }
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

/// The running Scripts/backend_client.py.
final class SceneClient {
  let program: Program
  private var count = 0
  private var answers: [Int: String] = [:]
  /// The signals that were read while answers were waited for: `MEMBER PATH BODY`.
  private(set) var signals: [String] = []

  /// One command that is to be answered.
  struct Ticket {
    fileprivate let number: Int
  }

  init(_ address: String) throws {
    program = try Program(
      [Python.path, Scripts.path("backend_client.py"), address], hasInput: true)
  }

  /// Sends a command without waiting for its answer.
  func start(_ command: String) throws -> Ticket {
    try program.write("\(command)\n")
    defer { count += 1 }
    return Ticket(number: count)
  }

  /// The answer: `ok VALUE` or `error NAME TEXT`.
  func wait(_ ticket: Ticket) throws -> String {
    while true {
      if let answer = answers.removeValue(forKey: ticket.number) { return answer }
      let line = try program.waitForLine { _ in true }
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      if words[0] == "signal" {
        signals.append(String(line.dropFirst(7)))
      } else if let number = Int(words[1]) {
        answers[number] = words[2]
      }
    }
  }

  private static let row = "org.toggled.Row1"

  /// A row's property as JSON.
  func get(_ id: String, _ property: String) throws -> String {
    let answer = try wait(start("get /org/toggled/rows/\(id) \(Self.row) \(property)"))
    return answer.hasPrefix("ok ") ? String(answer.dropFirst(3)) : answer
  }

  /// Waits until each property of the row has had this value, in this order.
  func await(_ id: String, _ properties: KeyValuePairs<String, String>) throws {
    for (name, value) in properties {
      _ = try wait(start("await /org/toggled/rows/\(id) \(Self.row) \(name) '\(value)'"))
    }
  }

  /// Waits until a property of any object has had the value.
  func awaitProperty(
    _ path: String, _ interface: String, _ name: String, _ value: String
  ) throws {
    _ = try wait(start("await \(path) \(interface) \(name) '\(value)'"))
  }

  /// A property of any object as JSON.
  func property(_ path: String, _ interface: String, _ name: String) throws -> String {
    let answer = try wait(start("get \(path) \(interface) \(name)"))
    return answer.hasPrefix("ok ") ? String(answer.dropFirst(3)) : answer
  }

  /// Waits until ConfigErrors has an entry for the file of this name; its text.
  func trouble(_ file: String) throws -> String {
    try wait(start("trouble '\(file)'"))
  }

  /// Has the row files read again.
  func reload() throws -> String {
    try wait(start("call org.toggled /org/toggled org.toggled.Manager1 Reload '' '[]' 0"))
  }

  /// Waits until the row's State has had these values, one after the other.
  func await(_ id: String, _ states: String...) throws {
    for state in states { try self.await(id, ["State": "\"\(state)\""]) }
  }

  /// Calls a method of the row. `flags` are those of the message: 4 allows interaction.
  func startCall(
    _ id: String, _ member: String, _ signature: String = "''", _ values: String = "[]",
    flags: Int = 0
  ) throws -> Ticket {
    try start(
      "call org.toggled /org/toggled/rows/\(id) \(Self.row) \(member) \(signature) "
        + "'\(values)' \(flags)")
  }

  func call(
    _ id: String, _ member: String, _ signature: String = "''", _ values: String = "[]",
    flags: Int = 0
  ) throws -> String {
    try wait(startCall(id, member, signature, values, flags: flags))
  }

  func setOn(_ id: String, _ on: Bool, flags: Int = 0) throws -> String {
    try call(id, "SetOn", "b", "[\(on)]", flags: flags)
  }

  func startSetOn(_ id: String, _ on: Bool) throws -> Ticket {
    try startCall(id, "SetOn", "b", "[\(on)]")
  }

  /// Waits until somebody owns the bus name.
  func awaitOwner(_ name: String) throws {
    _ = try wait(start("owned \(name)"))
  }

  /// Whether somebody owns the bus name.
  func hasOwner(_ name: String) throws -> Bool {
    let bus = "org.freedesktop.DBus"
    return try wait(
      start("call \(bus) /org/freedesktop/DBus \(bus) NameHasOwner s '[\"\(name)\"]' 0"))
      == "ok [true]"
  }

  /// The values that PropertiesChanged has carried of a row's property, in order, as JSON.
  func announced(_ id: String, _ property: String) -> [String] {
    signals.compactMap { signal in
      guard signal.hasPrefix("PropertiesChanged /org/toggled/rows/\(id) ") else { return nil }
      let parts = signal.split(separator: "\"\(property)\": [", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      // Values here have no bracket in them: `["s", "on"]`.
      return parts[1].split(separator: "]")[0].split(separator: ", ", maxSplits: 1).last
        .map(String.init)
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
