// SPDX-License-Identifier: MIT

package import Settings

/// One line of `togglectl check`.
package struct Finding: Hashable, Sendable {
  /// How bad a finding is; the raw value is the word in JSON.
  package enum Severity: String, Hashable, Sendable {
    /// What the file says does not count.
    case error
    /// It counts and yet has no effect, or hardly the one that is meant.
    case warning
  }

  /// Where it is, and what is wrong.
  package var error: ConfigError
  /// How bad it is.
  package var severity: Severity

  /// A finding of this severity.
  package init(_ error: ConfigError, _ severity: Severity) {
    self.error = error
    self.severity = severity
  }
}

extension Finding: Comparable {
  /// By file, then by line.
  package static func < (left: Finding, right: Finding) -> Bool {
    (left.error, left.severity.rawValue) < (right.error, right.severity.rawValue)
  }
}
