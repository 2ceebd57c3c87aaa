// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// Who may flip the rows of the installed package, which all of polkit(8) is in place for.
@Suite("authorisation in the installed package", .serialized, .needsPackage)
@MainActor
struct AuthorisationTests {
  /// One machine with people for all of them, and with a row for whoever sits at it.
  private static let machine = Result { () throws -> Machine in
    let machine = try InstalledMachine.make(files: [
      "/etc/toggled/rows/fan.row":
        "[Row]\nTitle=Fan\nBus=system\nPolkitAction=org.toggled.flip-seat\n"
        + "[Backend]\nType=stored\n",
      "/etc/toggled/rows/clock.row": """
      [Row]
      Title=Clock
      Bus=system
      PolkitAction=org.freedesktop.timedate1.set-ntp
      [Backend]
      Type=stored

      """,
      "/etc/toggled/rows/lamp.row": "[Row]\nTitle=Lamp\nBus=system\n[Backend]\nType=stored\n",
    ])
    try machine.addPeople()
    return machine
  }

  private let machine: Machine

  init() throws {
    machine = try Self.machine.get()
  }

  private func flip(
    _ row: String, _ on: Bool, as caller: Machine.Caller
  ) throws -> Program.Outcome {
    try machine.run(
      ["/usr/bin/togglectl", "--system", "--no-ask-password", on ? "on" : "off", row], as: caller)
  }

  private static let rows = ["lamp", "fan", "clock", "ip_forwarding"]

  private func reset() throws {
    try machine.setPolkitRule("")
    for row in Self.rows {
      let outcome = try flip(row, false, as: .root)
      guard outcome.status.isSuccess else {
        throw TestFailure("\(row): \(outcome)\n\(try machine.serviceLog())")
      }
    }
  }

  @Test(
    "lets root flip all, whoever sits at the machine what is for them, and others by a password",
    arguments: Machine.Caller.allCases)
  func defaults(caller: Machine.Caller) throws {
    try reset()
    for row in Self.rows {
      let outcome = try flip(row, true, as: caller)
      let isAllowed = caller == .root || caller == .seat && row == "fan"
      let log = try machine.serviceLog()
      #expect(outcome.status == .exited(isAllowed ? 0 : 4), "\(row): \(outcome)\n\(log)")
      if !isAllowed {
        #expect(outcome.error.contains("row \(row): org."), "\(outcome.error)")
        #expect(outcome.error.contains("takes a password"), "\(outcome.error)")
        #expect(outcome.error.contains("use sudo") && outcome.error.contains("rules.d"))
      }
      // Anybody may read, and set what is.
      let state = try machine.run(["/usr/bin/togglectl", "--system", "get", row], as: caller)
      #expect(state.output == (isAllowed ? "on\n" : "off\n"))
      #expect(try flip(row, isAllowed, as: caller).status == .exited(0))
    }
  }

  @Test("goes by a rule for one row and one value, and by no other")
  func rule() throws {
    try reset()
    try machine.setPolkitRule(
      "if (row == \"lamp\" && value == \"on\" && subject.user == \"robot\") return \"yes\";")
    #expect(try flip("lamp", true, as: .service).status == .exited(0))
    #expect(try flip("lamp", false, as: .service).status == .exited(4))
    #expect(try flip("ip_forwarding", true, as: .service).status == .exited(4))
    #expect(try flip("lamp", false, as: .remote).status == .exited(4))
  }

  @Test("asks for a password once, for two rows, on the terminal of somebody who came over ssh")
  func password() throws {
    try reset()
    let togglectl = try machine.start(
      ["/usr/bin/togglectl", "--system", "on", "lamp", "ip_forwarding"], as: "alice", at: .remote,
      onTerminal: true)
    try togglectl.waitForLine(containing: "Password: ")
    try togglectl.write("secret\n")
    #expect(try togglectl.waitForExit() == .exited(0), "\(togglectl.text())")
    let questions = togglectl.text().split(separator: "\n").count { $0.contains("Password: ") }
    #expect(questions == 1, "\(togglectl.text())")
    #expect(try machine.succeed("togglectl", "--system", "get", "lamp") == "on\n")
    #expect(try machine.succeed("cat", "/proc/sys/net/ipv4/ip_forward") == "1\n")
  }
}
