// SPDX-License-Identifier: MIT

/// Why a flip did not come about. The message says what failed and what to do about it.
package struct FlipError: Error, Hashable, Sendable {
  /// What went wrong, for programs; on the bus an error name stands for each.
  package enum Kind: Hashable, Sendable {
    case accessDenied
    /// The backend tried and failed; the message has its own words.
    case backendFailed
    case interactiveAuthorizationRequired
    case invalidArgs
    case limitsExceeded
    /// The administrator has fixed the value.
    case locked
    case notSupported
    /// The row went while it was being flipped.
    case removed
    /// A newer wish, for the other value, took the place of this one.
    case superseded
    /// Nothing confirmed the flip within the row's Timeout.
    case timedOut
    /// What is behind the row can't be reached.
    case unavailable
  }

  /// What went wrong, for programs.
  package let kind: Kind
  /// What went wrong, for people: lower case, naming what failed; printable, whatever a backend
  /// said.
  package let message: String

  /// An error of a kind, with its message.
  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message.printable
  }
}
