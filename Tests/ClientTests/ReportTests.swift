// SPDX-License-Identifier: MIT

import Settings
import Testing

@testable import Client

@Suite("Failures as words and exit codes")
struct ReportTests {
  private static let standard = "org.freedesktop.DBus.Error."
  private static let ours = "org.toggled.Error."

  @Test(
    "every error name has its code",
    arguments: [
      (standard + "UnknownObject", ExitCode.noSuchRow),
      (standard + "AccessDenied", .denied),
      (standard + "InteractiveAuthorizationRequired", .denied),
      (ours + "Locked", .unavailable),
      (ours + "Unavailable", .unavailable),
      (ours + "Held", .unavailable),
      (ours + "Superseded", .failed),
      (ours + "BackendFailed", .failed),
      (ours + "TimedOut", .failed),
      (standard + "InvalidArgs", .failed),
      (standard + "NotSupported", .failed),
      (standard + "LimitsExceeded", .failed),
      (standard + "NoReply", .failed),
      ("com.example.Whatever", .failed),
    ])
  func codes(name: String, code: ExitCode) {
    let failure = Failure.answered(row: "wifi", RemoteError(name: name, message: "no"))
    #expect(Report(failure).code == code)
  }

  @Test("the worst code of several is the one that counts")
  func worst() {
    let worstFirst: [ExitCode] = [
      .noDaemon, .usage, .noSuchRow, .denied, .unavailable, .failed, .done,
    ]
    for (index, worse) in worstFirst.enumerated() {
      for better in worstFirst[index...] {
        #expect(ExitCode.worse(worse, better) == worse)
        #expect(ExitCode.worse(better, worse) == worse)
      }
    }
    #expect(ExitCode.worse(.done, .off) == .off)
    #expect(worstFirst.map(\.rawValue) == [6, 2, 3, 4, 5, 1, 0])
    #expect([ExitCode.off.rawValue, ExitCode.neither.rawValue] == [10, 11])
  }

  @Test("the daemon's own words are kept, and name the row once")
  func words() {
    func text(_ row: String?, _ message: String, _ name: String = "org.toggled.Error.BackendFailed")
      -> String
    {
      Report(.answered(row: row, RemoteError(name: name, message: message))).text
    }
    #expect(text("wifi", "wifi: the card said no") == "wifi: the card said no")
    #expect(text("wifi", "the card said no") == "wifi: the card said no")
    #expect(text("on", "beyond reach") == "on: beyond reach")
    #expect(text(nil, "the card said no") == "the card said no")
    #expect(text("wifi", "") == "wifi: org.toggled.Error.BackendFailed")
    #expect(text("wifi", "wifi: \u{1b}[2Jgone\nnew") == "wifi: [2Jgone new")
  }

  @Test("what there is to say besides follows the daemon's own words")
  func remark() {
    let error = RemoteError(
      name: Self.standard + "InteractiveAuthorizationRequired", message: "wifi: not allowed")
    let remark = "it takes a password, which --no-ask-password rules out"
    #expect(
      Report(.answered(row: "wifi", error.adding(remark))).text == "wifi: not allowed (\(remark))")
    #expect(Report(.answered(row: "wifi", error)).text == "wifi: not allowed")
  }

  @Test("no such row suggests the nearest ids")
  func suggestions() {
    #expect(
      Report(.noSuchRow(id: "wfi", nearest: ["wifi"])).text
        == "no row 'wfi', did you mean 'wifi'?")
    #expect(
      Report(.noSuchRow(id: "wfi", nearest: ["wifi", "wwan"])).text
        == "no row 'wfi', did you mean one of 'wifi', 'wwan'?")
    #expect(
      Report(.noSuchRow(id: "x", nearest: [])).text
        == "no row 'x'; 'togglectl list' shows the ids")
    #expect(
      Report(.noSuchRow(id: "x", nearest: [], absent: [.session])).text
        == "no row 'x'; no daemon runs on the session bus, --user starts it")
    #expect(Report(.noSuchRow(id: "x", nearest: [])).code == .noSuchRow)
  }

  @Test("an ambiguous id names both options")
  func ambiguous() {
    let report = Report(.ambiguous(id: "wifi"))
    #expect(report.text == "'wifi' is on both buses: say which with --system or --user")
    #expect(report.code == .usage)
  }

  @Test("no daemon says why, and what to do")
  func noDaemon() {
    let report = Report(
      .noDaemon([Absence(.system), Absence(.session, detail: "no address")]))
    #expect(
      report.text == "no daemon (system bus: nobody has the name org.toggled; "
        + "session bus: no address); start it with 'systemctl start toggled' or "
        + "'systemctl --user start toggled'")
    #expect(report.code == .noDaemon)
    let noBus = Absence(.session, detail: "no socket", isOfBus: true)
    #expect(
      Report(.noDaemon([noBus])).text
        == "no daemon (session bus: no socket); check that the bus runs and is yours, and where "
        + "DBUS_SESSION_BUS_ADDRESS points")
    #expect(Report(.lostBus(.session)).text == "lost the connection to the session bus")
    #expect(Report(.lostBus(.session)).code == .noDaemon)
  }
}
