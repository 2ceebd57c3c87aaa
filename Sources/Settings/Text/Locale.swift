// SPDX-License-Identifier: MIT

/// What a reader's locale means for choosing among translations.
///
/// The order is the Desktop Entry Specification's ("Localized values for keys"):
/// lang_COUNTRY@MODIFIER, lang_COUNTRY, lang@MODIFIER, lang, then the untranslated text.
package struct Locale: Hashable, Sendable {
  /// The keys of translations to try, the best first; none for `C` and `POSIX`.
  package let candidates: [String]

  /// The locale of untranslated text, as of `LC_ALL=C`.
  package static let untranslated = Locale(candidates: [])

  private init(candidates: [String]) {
    self.candidates = candidates
  }

  /// The locale that `name` spells: `lang_COUNTRY.ENCODING@MODIFIER`, all but lang optional.
  package init(_ name: String) {
    guard let parts = LocaleName(name), !parts.isUntranslated else {
      self = .untranslated
      return
    }
    candidates = parts.candidates
  }

  /// The locale for messages by POSIX: the first of LC_ALL, LC_MESSAGES and LANG that is not
  /// empty. Where it is not `C`, GNU's LANGUAGE (`gl:es`) goes before it.
  ///
  /// - Parameter value: answers variables of the environment by name.
  package init(environment value: (String) -> String?) {
    let name =
      ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(value).first { !$0.isEmpty } ?? ""
    let base = Locale(name)
    guard let language = value("LANGUAGE"), !language.isEmpty, base != .untranslated else {
      self = base
      return
    }
    var candidates: [String] = []
    for name in language.split(separator: ":") {
      for candidate in Locale(String(name)).candidates where !candidates.contains(candidate) {
        candidates.append(candidate)
      }
    }
    candidates += base.candidates.filter { !candidates.contains($0) }
    self.candidates = candidates
  }
}
