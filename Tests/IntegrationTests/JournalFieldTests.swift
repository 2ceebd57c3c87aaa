// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// What an administrator finds in the journal of a booted machine.
@MainActor
@Suite("The journal of the daemon", .serialized, .needsMachine)
struct JournalFieldTests {
  private let machine: Machine
  private let directory: TemporaryDirectory

  init() throws {
    machine = try Machine.shared.get()
    directory = try TemporaryDirectory(in: machine.directory.path)
  }

  /// Starts the daemon as a service. In the test itself: what is made before it may meet another
  /// suite's daemon.
  private func serve() throws {
    try directory.makeDirectory("rows")
    try directory.write("0\n", to: "knob")
    try directory.write("0\n", to: "fixed")
    let rows = [
      "lamp": RowText.stored("Lamp", "Bus=system"),
      "both": "[Row]\nTitle=Both\nBus=system\n[Backend]\nType=group\nRows=lamp;knob\n",
      "knob": RowText.file(directory.path("knob"), "Bus=system"),
      "fixed": RowText.file(directory.path("fixed"), "Bus=system\nLocked=true\nDefault=off"),
      "sad": RowText.file("/proc/version", "Bus=system"),
    ]
    for (name, text) in rows { try directory.write(text, to: "rows/\(name).row") }
    try machine.succeed(
      "systemd-run", "--unit=journal-test", "--property=Type=dbus",
      "--property=BusName=org.toggled", try Products.path("toggled"), "--system",
      "--rows", directory.path("rows"), "--state", directory.path("state"))
  }

  /// One entry that has all these fields, waited for.
  private func entry(_ fields: String..., showing shown: String) throws -> String {
    try machine.succeed(
      "sh", "-c",
      """
      journalctl --sync
      journalctl --unit=journal-test --output=cat --output-fields=\(shown) \
        --follow --lines=all \(fields.joined(separator: " ")) | head -n 1
      """)
  }

  private func flip(_ row: String, _ value: String) throws -> Program.Outcome {
    try machine.run([
      "busctl", "call", "org.toggled", "/org/toggled/rows/\(row)", "org.toggled.Row1", "SetOn",
      "b", value,
    ])
  }

  @Test("has an error for a lock that does not count, with the row that it is for")
  func lostLock() throws {
    try directory.write(
      "[Row]\nLocked=true\nDefault=on\n", to: "rows/lamp.row.d/lock.conf", mode: 0o666)
    try serve()
    defer { _ = try? machine.succeed("systemctl", "stop", "journal-test.service") }
    let path = directory.path("rows/lamp.row.d/lock.conf")
    let entry = try entry("PRIORITY=3", showing: "MESSAGE")
    #expect(
      entry.hasPrefix("\(path): nothing here is read, not even a lock of row 'lamp'"), "\(entry)")
    #expect(entry.hasSuffix("(mode 0666); chmod go-w \(path)\n"), "\(entry)")
  }

  @Test("says of each flip which row, what it became, why, and who asked")
  func fields() throws {
    try serve()
    defer { _ = try? machine.succeed("systemctl", "stop", "journal-test.service") }
    #expect(try flip("lamp", "true").status.isSuccess)
    let client = ["ROW=lamp", "VALUE=on", "CAUSE=client", "SENDER_UID=0"]
    #expect(try entry(client[0], client[1], client[2], client[3], showing: "PRIORITY") == "6\n")
    #expect(try Int(entry("ROW=lamp", showing: "SENDER_PID").dropLast()) ?? 0 > 1)

    try Files.replace(directory.path("knob"), with: Array("1\n".utf8), mode: 0o644)
    #expect(try entry("ROW=knob", "CAUSE=outside", showing: "VALUE") == "on\n")

    try Files.replace(directory.path("fixed"), with: Array("1\n".utf8), mode: 0o644)
    #expect(try entry("ROW=fixed", "CAUSE=lock", showing: "VALUE") == "off\n")

    // The lock gives up, and says so where it is looked for.
    try Files.replace(directory.path("fixed"), with: Array("1\n".utf8), mode: 0o644)
    #expect(
      try entry("ROW=fixed", "CAUSE=lock", "PRIORITY=4", showing: "MESSAGE").contains(
        "locked off by the administrator, but on"))
    #expect(
      try machine.succeed(
        "busctl", "get-property", "org.toggled", "/org/freedesktop/LogControl1",
        "org.freedesktop.LogControl1", "LogTarget") == "s \"journal\"\n")

    // What a group turns is turned for the one who turned the group.
    #expect(try flip("both", "false").status.isSuccess)
    #expect(
      try entry("ROW=knob", "VALUE=off", "SENDER_UID=0", showing: "CAUSE") == "client\n")

    try machine.succeed(
      "busctl", "call", "org.toggled", "/org/toggled", "org.toggled.Manager1", "Apply", "a{sb}",
      "1", "sad", "true")
    #expect(
      try entry("ROW=sad", "CAUSE=client", showing: "ERROR") == "org.toggled.Error.BackendFailed\n")
    #expect(try !flip("sad", "false").status.isSuccess)
    #expect(
      try entry("ROW=sad", "SENDER_UID=0", showing: "ERROR") == "org.toggled.Error.BackendFailed\n")
  }
}
