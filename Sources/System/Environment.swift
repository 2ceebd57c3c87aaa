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

  /// The variables that a child may have: not what a service manager tells this process alone, by
  /// sd_notify(3), sd_watchdog_enabled(3) and sd_listen_fds(3).
  package static func forChildren(_ variables: [String: String] = all) -> [String: String] {
    variables.filter { !ownVariables.contains($0.key) }
  }

  private static let ownVariables: Set = [
    "NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID", "WATCHDOG_USEC",
  ]
}
