// SPDX-License-Identifier: MIT

/// How a row wants its control to look; the raw value is the word on the bus and in row files.
package enum Style: String, Hashable, Sendable, CaseIterable {
  /// As the client thinks best.
  case automatic
  /// A switch that slides.
  case `switch`
  /// A button that stays down while on.
  case button
  /// A box with a check mark.
  case checkbox
}
