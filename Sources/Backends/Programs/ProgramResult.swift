// SPDX-License-Identifier: MIT

import DBus
import Settings
package import System

/// How a program ended, and what it had written by then.
package struct ProgramResult: Hashable, Sendable {
  /// How it ended.
  package let status: ExitStatus
  /// What it wrote to its standard output; at most 64 KiB of it.
  package let output: [UInt8]
  /// What it wrote to its standard error; at most 64 KiB of it.
  package let error: [UInt8]

  /// The first line of what it complained, as a person can read it; how it ended where it said
  /// nothing.
  package nonisolated var complaint: String { firstWords ?? "\(status)" }

  /// How it ended, with the first line of what it complained.
  package nonisolated var end: String {
    firstWords.map { "\(status): \($0)" } ?? "\(status)"
  }

  private nonisolated var firstWords: String? { firstLine(of: error) ?? firstLine(of: output) }
}

extension Problem {
  /// A program that could not be run, or did not end, as why a flip did not come about.
  nonisolated var flipError: FlipError {
    if reason == .timeout { return FlipError(.timedOut, text) }
    return FlipError(isAbsence ? .unavailable : .backendFailed, text)
  }
}

/// The first line with anything in it, of at most 200 characters, without what is no text.
nonisolated func firstLine(of bytes: [UInt8]) -> String? {
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    let scalars = String(decoding: line, as: UTF8.self).unicodeScalars.map {
      $0.properties.generalCategory == .control ? " " : $0
    }
    let words = String(String.UnicodeScalarView(scalars)).split(separator: " ")
    if !words.isEmpty { return words.joined(separator: " ").shortened(to: 200) }
  }
  return nil
}
