// SPDX-License-Identifier: MIT

import TestSupport

/// The running Scripts/backend_client.py.
final class SceneClient {
  let program: Program
  private var count = 0
  private var answers: [Int: String] = [:]
  /// The signals that were read while answers were waited for: `MEMBER PATH BODY`.
  private(set) var signals: [String] = []
  /// What helps to see why a wait failed: the daemon's log.
  var context: () -> String = { "" }

  /// One command that is to be answered.
  struct Ticket {
    fileprivate let number: Int
  }

  convenience init(_ address: String) throws {
    try self.init(
      running: Program(
        [Python.path, Scripts.path("backend_client.py"), address], hasInput: true))
  }

  /// One that was started elsewhere, with an input, such as in a machine.
  init(running program: Program) throws {
    self.program = program
    // From here on it misses no signal.
    try program.waitForLine(containing: "ready")
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
      let line = try nextLine()
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      if words[0] == "signal" {
        signals.append(String(line.dropFirst(7)))
      } else if let number = Int(words[1]) {
        answers[number] = words[2]
      }
    }
  }

  private func nextLine() throws -> String {
    do {
      return try program.waitForLine { _ in true }
    } catch {
      throw TestFailure("\(error)\n--- the daemon's log\n\(context())")
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

  /// Has a row read until its State is this: one with little time gives up on a reading where the
  /// machine is slow.
  func read(_ id: String, until state: String) throws {
    let deadline = Deadline(after: patience)
    while true {
      let found = try get(id, "State")
      if found == "\"\(state)\"" { return }
      guard !deadline.hasPassed else {
        throw TestFailure("\(id) should be read as \(state) and is \(found)\n\(context())")
      }
      _ = try call(id, "Refresh")
    }
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
