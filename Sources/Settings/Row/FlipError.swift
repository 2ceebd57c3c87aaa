// SPDX-License-Identifier: MIT

/// Why a flip did not come about. The message says what failed and what to do about it.
package struct FlipError: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case accessDenied
    case backendFailed
    case interactiveAuthorizationRequired
    case invalidArgs
    case limitsExceeded
    case locked
    case notSupported
    case removed
    case superseded
    case timedOut
    case unavailable
  }

  package let kind: Kind
  package let message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
