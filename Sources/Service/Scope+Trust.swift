// SPDX-License-Identifier: MIT

import Backends
import Glibc
import Settings
import System

/// Whom a daemon trusts.
///
/// On a session bus everything is the user's own. The system's daemon is root and serves everyone:
/// what it reads must be in root's hands alone, and of the environment that it was started with, by
/// `sudo` or `su` perhaps, only the language counts and what systemd tells its services: where to
/// report to, how often, and where the log goes.
extension Scope {
  /// The users whose files the daemon goes by; nil for anyone's.
  var owners: Set<UInt32>? {
    self == .system ? [0, geteuid()] : nil
  }

  /// What the programs of rows get, and where they are looked for.
  var environment: [String: String] {
    self == .system ? ["PATH": ProgramRunner.searchPath] : Environment.all
  }
}
