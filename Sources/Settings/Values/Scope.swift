// SPDX-License-Identifier: MIT

/// Which bus a row is published on, and so which daemon serves it; the raw value is the word in
/// row files, in Manager1's Scope and in togglectl's JSON.
package enum Scope: String, Hashable, Sendable, CaseIterable {
  case system
  case session
}
