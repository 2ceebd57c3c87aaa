// SPDX-License-Identifier: MIT

import System

extension Machine {
  /// Starts a program that ends once systemd has no unit of these names any more.
  package func startWaitForEnd(ofUnits pattern: String) throws -> Program {
    try start([Python.path, try bring("no-units"), pattern])
  }

  /// Waits until systemd has no unit of these names any more.
  package func waitForEnd(ofUnits pattern: String) throws {
    let status = try startWaitForEnd(ofUnits: pattern).waitForExit()
    guard status.isSuccess else { throw TestFailure("no-units \(pattern) \(status)") }
  }
}
