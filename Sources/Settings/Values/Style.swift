// SPDX-License-Identifier: MIT

/// How a row wants its control to look; the raw value is the word on the bus and in row files.
package enum Style: String, Hashable, Sendable, CaseIterable {
  case automatic
  case `switch`
  case button
  case checkbox
}
