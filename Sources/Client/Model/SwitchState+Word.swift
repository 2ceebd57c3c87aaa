// SPDX-License-Identifier: MIT

import Settings

extension SwitchState {
  /// The state by the contract's word for it. A word that no version of the contract had yet counts
  /// as unknown, never as off.
  nonisolated init(word: String) {
    self = SwitchState(rawValue: word) ?? .unknown
  }
}
