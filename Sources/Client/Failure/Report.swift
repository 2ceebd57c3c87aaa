// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// A failure as the user meets it: the one place where failures become words and exit codes.
nonisolated struct Report: Hashable, Sendable {
  /// A line for standard error, without the program's name and the newline.
  var text: String
  var code: ExitCode
  /// The name of the D-Bus error that it is, or comes nearest to.
  var name: String

  /// The words and the code for `failure`.
  init(_ failure: Failure) {
    switch failure {
    case .usage(let text, let hint):
      self.init(text + hint, .usage, name: Self.standard + "InvalidArgs")
    case .ambiguous(let id):
      self.init(
        "'\(id)' is on both buses: say which with --system or --user", .usage,
        name: Self.standard + "InvalidArgs")
    case .noSuchRow(let id, let nearest, let absent):
      self.init(
        "no row '\(id)'\(Self.suggestion(nearest, absent))", .noSuchRow,
        name: Self.standard + "UnknownObject")
    case .answered(let row, let error):
      self.init(Self.text(error, row: row), Self.code(error.name), name: error.name)
    case .noDaemon(let absences):
      self.init(Self.text(absences), .noDaemon, name: Self.standard + "ServiceUnknown")
    case .lostBus(let scope):
      self.init(
        "lost the connection to the \(scope.busName)", .noDaemon,
        name: Self.standard + "Disconnected")
    case .output(let reason):
      self.init(
        "can't write to standard output: \(reason)", .failed, name: Self.standard + "IOError")
    case .local(let text):
      self.init(text, .failed, name: Self.standard + "Failed")
    }
  }

  private init(_ text: String, _ code: ExitCode, name: String = "") {
    // Words from the bus and from the command line must not steer the terminal.
    self.text = text.printable
    self.code = code
    self.name = name
  }

  /// A failure as an entry of a JSON answer: of what came over the bus, name and message as they
  /// came.
  static func json(_ failure: Failure) -> JSON {
    let report = Report(failure)
    var message = report.text
    if case .answered(_, let error) = failure { message = error.message }
    return .object([.init("name", .string(report.name)), .init("message", .string(message))])
  }

  private static func suggestion(_ nearest: [String], _ absent: [Scope]) -> String {
    switch (nearest.count, absent.first) {
    case (0, let scope?):
      "; no daemon runs on the \(scope.busName), \(scope.option) starts it"
    case (0, nil): "; 'togglectl list' shows the ids"
    case (1, _): ", did you mean '\(nearest[0])'?"
    default: ", did you mean one of \(nearest.map { "'\($0)'" }.joined(separator: ", "))?"
    }
  }

  // MARK: - Errors that came over the bus

  private static let standard = "org.freedesktop.DBus.Error."

  /// The code for an error name; one that no code is kept for is a plain failure.
  private static func code(_ name: String) -> ExitCode {
    switch name {
    case standard + "UnknownObject": .noSuchRow
    case standard + "AccessDenied", standard + "AuthFailed",
      standard + "InteractiveAuthorizationRequired":
      .denied
    case ErrorName.locked.rawValue, ErrorName.unavailable.rawValue, ErrorName.held.rawValue:
      .unavailable
    default: .failed
    }
  }

  /// The daemon's own words, with the row's id before them where they do not name it.
  private static func text(_ error: RemoteError, row: String?) -> String {
    var text = error.message.isEmpty ? error.name : error.message
    if error.name == standard + "NoReply" { text = "the daemon did not answer: \(text)" }
    if let row, !text.contains(word: row) { text = "\(row): \(text)" }
    if let remark = error.remark { text += " (\(remark))" }
    return text
  }

  // MARK: - No daemon

  private static func text(_ absences: [Absence]) -> String {
    let reasons = absences.map { absence in
      let bus = absence.scope.busName
      let detail = absence.detail ?? "nobody has the name \(BusName.toggled)"
      return detail.contains(bus) ? detail : "\(bus): \(detail)"
    }
    let ways = absences.filter { !$0.isOfBus }.map { absence in
      absence.scope == .system
        ? "'systemctl start toggled'" : "'systemctl --user start toggled'"
    }
    let advice =
      ways.isEmpty
      ? "check that the bus runs and is yours, and where "
        + absences.map { "\($0.scope.addressVariable) points" }.joined(separator: " and ")
      : "start it with " + ways.joined(separator: " or ")
    return "no daemon (\(reasons.joined(separator: "; "))); \(advice)"
  }
}

extension Scope {
  /// The bus in a sentence.
  nonisolated var busName: String {
    switch self {
    case .system: "system bus"
    case .session: "session bus"
    }
  }

  /// The environment variable with the address of this bus.
  fileprivate nonisolated var addressVariable: String {
    switch self {
    case .system: "DBUS_SYSTEM_BUS_ADDRESS"
    case .session: "DBUS_SESSION_BUS_ADDRESS"
    }
  }

  /// The option that asks this bus alone.
  nonisolated var option: String {
    switch self {
    case .system: "--system"
    case .session: "--user"
    }
  }
}
