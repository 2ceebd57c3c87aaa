// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// The environment this process was started with. Nothing of ours changes it.
package enum Environment {
  /// The variable's value; nil when it is not set. Bytes that are not UTF-8 are repaired.
  package static func value(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    return String(cString: value)
  }

  /// Every variable. Of a name given twice the first counts, as for getenv(3).
  package static var all: [String: String] {
    var variables: [String: String] = [:]
    guard var next = clinux_environ() else { return [:] }
    while let entry = next.pointee {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "="), variables[String(text[..<equals])] == nil {
        variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      next += 1
    }
    return variables
  }

  /// The variables that a child may have: not what a service manager or a bus tells this process
  /// alone, by sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3), systemd.exec(5) and
  /// dbus-daemon(1).
  package static func forChildren(_ variables: [String: String] = all) -> [String: String] {
    variables.filter { !ownVariables.contains($0.key) }
  }

  private static let ownVariables: Set = [
    "CACHE_DIRECTORY", "CONFIGURATION_DIRECTORY", "CREDENTIALS_DIRECTORY", "DBUS_STARTER_ADDRESS",
    "DBUS_STARTER_BUS_TYPE", "INVOCATION_ID", "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID",
    "LOGS_DIRECTORY", "NOTIFY_SOCKET", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "SYSTEMD_EXEC_PID",
    "WATCHDOG_PID", "WATCHDOG_USEC",
  ]
}
