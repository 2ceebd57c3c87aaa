// SPDX-License-Identifier: MIT

/// The parts of a locale's name, `lang_COUNTRY.ENCODING@MODIFIER`.
struct LocaleName {
  let language: Substring
  let country: Substring?
  let modifier: Substring?

  /// Takes `name` apart, or nil where a part is empty or holds anything else than letters,
  /// digits and `-`.
  init?(_ name: String) {
    var rest = name[...]
    modifier = Self.cut(&rest, at: "@")
    let encoding = Self.cut(&rest, at: ".")
    country = Self.cut(&rest, at: "_")
    language = rest
    for part in [language, country, encoding, modifier].compactMap(\.self) {
      let isValid = part.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
      guard isValid && !part.isEmpty else { return nil }
    }
  }

  private static func cut(_ text: inout Substring, at separator: Character) -> Substring? {
    guard let index = text.firstIndex(of: separator) else { return nil }
    let after = text[text.index(after: index)...]
    text = text[..<index]
    return after
  }

  /// Whether this is the locale without translations.
  var isUntranslated: Bool { language == "C" || language == "POSIX" }

  /// The name without its encoding, as translations are kept under.
  var key: String {
    language + (country.map { "_" + $0 } ?? "") + (modifier.map { "@" + $0 } ?? "")
  }

  /// The keys to look a translation up by, the best first.
  var candidates: [String] {
    var keys: [String] = []
    if let country {
      if let modifier { keys.append("\(language)_\(country)@\(modifier)") }
      keys.append("\(language)_\(country)")
    }
    if let modifier { keys.append("\(language)@\(modifier)") }
    keys.append(String(language))
    return keys
  }
}
