// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

/// org.freedesktop.LogControl1(5): `systemctl service-log-level toggled debug`.
final class LogControlObject {
  private let log: Log

  init(_ log: Log) {
    self.log = log
  }

  static func table(clients: ClientRequests) -> InterfaceTable<LogControlObject> {
    InterfaceTable(
      .logControl,
      properties: [
        .readWrite(
          "LogLevel", .none, get: { $0.log.level.name },
          set: { control, name, invocation throws(DBusError) in
            guard let level = Log.Level(name: name) else {
              throw .invalidArgs(
                "unknown log level '\(name)'; expected one of "
                  + Log.Level.allCases.map(\.name).joined(separator: ", "))
            }
            clients.asAdministrator("change the log level", invocation) {
              control.log.level = level
              invocation.reply()
            }
          }),
        .readWrite(
          "LogTarget", .none, get: { $0.log.target },
          set: { control, name, invocation throws(DBusError) in
            guard name == control.log.target else {
              throw DBusError(
                .notSupported, "toggled logs to its \(control.log.target), and to nothing else")
            }
            invocation.reply()
          }),
        .readOnly("SyslogIdentifier", .none) { _ in "toggled" },
      ])
  }
}
