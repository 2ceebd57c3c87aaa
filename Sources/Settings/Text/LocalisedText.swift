// SPDX-License-Identifier: MIT

/// A text with its translations, as `Key=` and `Key[locale]=` of a row file give it.
package struct LocalisedText: Hashable, Sendable {
  /// The text of the plain key.
  package var untranslated: String
  /// The translations by locale, such as `es` or `pt_BR`; the encoding part is taken out.
  package var translations: [String: String]

  /// A text and what it is in other languages.
  package init(_ untranslated: String, translations: [String: String] = [:]) {
    self.untranslated = untranslated
    self.translations = translations
  }

  /// Every text by locale, the untranslated one under "": the shape of Row1's Titles.
  package var all: [String: String] {
    var all = translations
    all[""] = untranslated
    return all
  }

  /// The text for a reader of `locale`, looked up in the Desktop Entry Specification's order.
  package func text(for locale: Locale) -> String {
    if translations.isEmpty { return untranslated }
    for candidate in locale.candidates {
      if let translation = translations[candidate] { return translation }
    }
    return untranslated
  }
}

extension LocalisedText {
  /// The text that a map as of Row1's Titles holds, the inverse of `all`.
  package init(all texts: [String: String]) {
    var translations = texts
    untranslated = translations.removeValue(forKey: "") ?? ""
    self.translations = translations
  }
}
