// SPDX-License-Identifier: MIT

import RowFiles
import Settings
import System

/// `check [FILE...]`: looks for mistakes in row files; no daemon is asked.
enum CheckVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    let findings =
      invocation.operands.isEmpty
      ? Check.searchPaths(
        of: invocation.scope.map { [$0] } ?? Scope.allCases, environment: Environment.value)
      : Check.files(invocation.operands)
    if findings.contains(where: { $0.severity == .error }) { console.end(with: .failed) }
    try console.print(
      invocation.json ? JSON.lines(findings.map(\.json)) : findings.map(\.text).joined())
  }
}

extension Finding {
  /// `file:line: message` on a line.
  nonisolated var text: String {
    var error = error
    if severity == .warning { error.message = "warning: \(error.message)" }
    return "\(error)".printable + "\n"
  }

  /// The finding for programs; line 0 is the file as a whole.
  nonisolated var json: JSON {
    .object([
      .init("file", .string(error.file)), .init("line", .int(Int64(error.line))),
      .init("message", .string(error.message)), .init("severity", .string(severity.rawValue)),
    ])
  }
}
