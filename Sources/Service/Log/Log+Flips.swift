// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import Settings

// Every flip has one entry in the journal, with fields of its own: ROW, VALUE and CAUSE, and
// SENDER_UID and SENDER_PID where a client asked. `journalctl ROW=wifi` shows a row's.

extension Log {
  /// A row has become on or off.
  ///
  /// - Parameter credentials: of the client that asked, where there is one and the bus knows.
  func turned(_ row: RowID, _ on: Bool, _ origin: Origin, _ credentials: Credentials?) {
    let words: String? =
      switch origin.cause {
      case .client: by(origin, credentials)
      case .schedule: "by its schedule"
      case .outside: "from outside"
      case .hold: "by a hold"
      case .lock: "by its lock"
      }
    entry(
      .info, "row \(row) turned \(on ? "on" : "off")\(words.map { " \($0)" } ?? "")",
      fields(row, origin, credentials) + [("VALUE", on ? "on" : "off")])
  }

  /// A client's flip did not come about.
  func refused(
    _ row: RowID, _ deed: String, _ origin: Origin, _ credentials: Credentials?,
    _ error: DBusError
  ) {
    let asker = by(origin, credentials).map { " \($0)" } ?? ""
    switch refusals.count(credentials?.userID, at: EventLoop.now) {
    case .leave: return
    case .logAfter(let count): notice("\(count) more flips were refused\(asker)")
    case .log: break
    }
    // As a rule the client asks again, with leave to have somebody asked for a password: then that
    // is the flip to tell of.
    let isFirstStep = error.name == .interactiveAuthorizationRequired && !origin.isInteractive
    entry(
      isFirstStep ? .debug : .notice, "not \(deed)\(asker): \(error.message)",
      fields(row, origin, credentials) + [("ERROR", error.name.rawValue)])
  }

  /// A row's lock has something to tell.
  func locked(_ row: RowID, _ text: String) {
    entry(.warning, text, fields(row, Origin(.lock), nil))
  }

  private func by(_ origin: Origin, _ credentials: Credentials?) -> String? {
    origin.client.map { client in
      let user = credentials?.userID.map { ", user \($0)" } ?? ""
      let process = credentials?.processID.map { ", process \($0)" } ?? ""
      return "by \(client)\(user)\(process)"
    }
  }

  private func fields(
    _ row: RowID, _ origin: Origin, _ credentials: Credentials?
  ) -> [JournalEntry.Field] {
    var fields: [JournalEntry.Field] = [("ROW", row.rawValue), ("CAUSE", origin.cause.rawValue)]
    if let user = credentials?.userID { fields.append(("SENDER_UID", "\(user)")) }
    if let process = credentials?.processID { fields.append(("SENDER_PID", "\(process)")) }
    return fields
  }
}
