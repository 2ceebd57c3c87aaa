// SPDX-License-Identifier: MIT

/// Which bus a row is published on, and so which daemon serves it; the raw value is the word in
/// row files, in Manager1's Scope and in togglectl's JSON.
package enum Scope: String, Hashable, Sendable, CaseIterable {
  /// The machine's bus, served by the system's daemon.
  case system
  /// The user's bus, served by the user's daemon.
  case session
}
