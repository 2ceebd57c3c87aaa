// SPDX-License-Identifier: MIT

import System

/// The programs that the tests talk to the daemon with.
package enum Scripts {
  package static func path(_ name: String) -> String {
    Project.path("Tests/IntegrationTests/Scripts/\(name)")
  }
}

extension Machine {
  /// Has a script of these tests, with the modules beside it that it takes, where everybody inside
  /// can run it; how to.
  package func command(running script: String, with modules: [String] = []) throws -> [String] {
    for name in [script] + modules {
      let text = try Files.read(Scripts.path(name), limit: 1 << 20)
      try Files.replace(directory.path(name), with: text, mode: 0o644)
    }
    return [Python.path, "-B", directory.path(script)]
  }

  /// What runs a command as a user without any rights.
  package static let asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

  /// The system bus, as what runs inside finds it.
  package static let innerSystemBus = "unix:path=/run/dbus/system_bus_socket"
}
