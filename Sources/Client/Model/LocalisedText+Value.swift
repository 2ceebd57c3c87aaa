// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

extension LocalisedText {
  /// The texts of an `a{ss}` such as Row1's Titles; none for anything else.
  nonisolated init(_ value: Value?) {
    var texts: [String: String] = [:]
    if case .dictionary(_, _, let entries) = value {
      for entry in entries {
        if case (.string(let key), .string(let text)) = (entry.key, entry.value.unwrapped) {
          texts[key] = text
        }
      }
    }
    self.init(all: texts)
  }

  /// Takes the text in the daemon's own language where there are no translations to choose from.
  nonisolated mutating func takeOwn(_ text: String) {
    if untranslated.isEmpty && translations.isEmpty { untranslated = text }
  }
}
