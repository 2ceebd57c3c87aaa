// SPDX-License-Identifier: MIT

/// A list of words with its translations, as Keywords is.
package struct LocalisedList: Hashable, Sendable {
  /// The words of the plain key.
  package var untranslated: [String]
  /// The words by locale.
  package var translations: [String: [String]]

  /// Words and what they are in other languages.
  package init(_ untranslated: [String] = [], translations: [String: [String]] = [:]) {
    self.untranslated = untranslated
    self.translations = translations
  }

  /// The words of all languages, each once: the untranslated ones first, then by locale.
  package var all: [String] {
    if translations.isEmpty && untranslated.count < 2 { return untranslated }
    var seen: Set<String> = []
    let translated = translations.sorted { $0.key < $1.key }.flatMap(\.value)
    return (untranslated + translated).filter { seen.insert($0).inserted }
  }
}
