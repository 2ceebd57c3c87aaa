// SPDX-License-Identifier: MIT

import Settings
import System

/// Where programs run: as the daemon's own children, or as units of systemd's.
protocol ProgramHost: AnyObject {
  /// Calls `go`, at once or later, when it is known how programs are run here.
  func whenKnown(_ go: @escaping () -> Void)

  /// Starts a program that writes to these pipes.
  ///
  /// - Parameter ended: called once, later: how it ended, or why it never began.
  func start(
    _ program: ProgramRequest, output: consuming FileDescriptor, error: consuming FileDescriptor,
    ended: @escaping (Result<ExitStatus, Problem>) -> Void
  ) throws(Problem) -> any HostedProgram
}

/// A program where it runs.
protocol HostedProgram: AnyObject {
  /// Asks the program and all that it started to end, and kills them after its `grace`.
  func terminate()
}

/// A program that is to run.
struct ProgramRequest {
  /// The program, and what it is told.
  let arguments: [String]
  /// What it is for.
  let purpose: ProgramPurpose
  /// All of its variables.
  let environment: [String: String]
  /// When whoever asked for it ends it; nil where it may run on and on.
  let timeout: Duration?
  /// How long it has from SIGTERM to SIGKILL.
  let grace: Duration
}

/// What a program is for: what an administrator finds it by.
nonisolated package struct ProgramPurpose: Hashable, Sendable {
  /// The row's id, with the part's name after a dot.
  let row: String
  /// What it does for the row.
  let role: Role

  /// What a program does for a row, by the key of `command` rows that does the like.
  package enum Role: String, Sendable {
    case state, on, off, watch
  }

  /// What a program does for a row, or for a part of one.
  package init(_ role: Role, of row: String) {
    self.row = row
    self.role = role
  }
}
