// SPDX-License-Identifier: MIT

import Backends
import Settings
import TestSupport
import Testing

extension Stage {
  /// Runs a program to its end.
  func run(
    _ arguments: [String], by runner: ProgramRunner, for purpose: ProgramPurpose,
    timeout: Duration = patience, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Result<ProgramResult, Problem> {
    var answer: Result<ProgramResult, Problem>?
    let run = runner.run(arguments, for: purpose, timeout: timeout) { answer = $0 }
    defer { withExtendedLifetime(run) {} }
    try turn("the end of \(arguments)", sourceLocation: sourceLocation) { answer != nil }
    return try #require(answer, sourceLocation: sourceLocation)
  }
}

extension Result<ProgramResult, Problem> {
  /// Why a program that should have failed did so.
  func failure() throws -> Problem {
    guard case .failure(let problem) = self else { throw TestFailure("did not fail: \(self)") }
    return problem
  }
}
