// SPDX-License-Identifier: MIT

/// A row's State, by the contract's word for it.
package nonisolated enum SwitchState: String, Sendable {
  case on, off, mixed, unknown

  /// A word that no version of the contract had yet counts as unknown, never as off.
  package init(word: String) {
    self = SwitchState(rawValue: word) ?? .unknown
  }
}
