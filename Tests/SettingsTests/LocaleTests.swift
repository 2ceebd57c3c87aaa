// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("Locales and translations")
struct LocaleTests {
  @Test(
    "try translations in the Desktop Entry Specification's order",
    arguments: [
      ("sr_YU@Latn", ["sr_YU@Latn", "sr_YU", "sr@Latn", "sr"]),
      ("sr_YU.UTF-8@Latn", ["sr_YU@Latn", "sr_YU", "sr@Latn", "sr"]),
      ("es_ES.UTF-8", ["es_ES", "es"]),
      ("sr@Latn", ["sr@Latn", "sr"]),
      ("es.UTF-8", ["es"]),
      ("es", ["es"]),
      ("C", []),
      ("C.UTF-8", []),
      ("POSIX", []),
      ("", []),
      ("_ES", []),
      ("es_", []),
      ("es/../x", []),
      ("es_ES@", []),
    ])
  func candidates(_ name: String, _ expected: [String]) {
    #expect(Locale(name).candidates == expected)
  }

  @Test(
    "come from LC_ALL, else LC_MESSAGES, else LANG",
    arguments: [
      (["LC_ALL": "de", "LC_MESSAGES": "fr", "LANG": "es"], ["de"]),
      (["LC_ALL": "", "LC_MESSAGES": "fr", "LANG": "es"], ["fr"]),
      (["LANG": "es"], ["es"]),
      (["LC_ALL": "C", "LANG": "es"], []),
      ([:], []),
    ])
  func environment(_ variables: [String: String], _ expected: [String]) {
    #expect(Locale(environment: { variables[$0] }).candidates == expected)
  }

  @Test(
    "try LANGUAGE first, unless the locale is C",
    arguments: [
      (["LANGUAGE": "gl:es", "LANG": "es_ES"], ["gl", "es", "es_ES"]),
      (["LANGUAGE": "pt_BR:pt", "LANG": "en_US"], ["pt_BR", "pt", "en_US", "en"]),
      (["LANGUAGE": "gl:es", "LC_ALL": "C.UTF-8", "LANG": "es_ES"], []),
      (["LANGUAGE": "", "LANG": "es"], ["es"]),
      (["LANGUAGE": "::", "LANG": "es"], ["es"]),
    ])
  func language(_ variables: [String: String], _ expected: [String]) {
    #expect(Locale(environment: { variables[$0] }).candidates == expected)
  }

  @Test(
    "choose the best translation there is",
    arguments: [
      ("sr_YU@Latn", "1"), ("sr_YU", "2"), ("sr@Latn", "3"), ("sr_RS@Latn", "3"), ("sr", "4"),
      ("sr_RS", "4"), ("de", "0"), ("C", "0"),
    ])
  func lookup(_ name: String, _ expected: String) {
    let text = LocalisedText(
      "0", translations: ["sr_YU@Latn": "1", "sr_YU": "2", "sr@Latn": "3", "sr": "4"])
    #expect(text.text(for: Locale(name)) == expected)
  }

  @Test("of a country come before those of a script, as the specification has it")
  func countryBeforeModifier() {
    let text = LocalisedText("0", translations: ["sr_YU": "country", "sr@Latn": "modifier"])
    #expect(text.text(for: Locale("sr_YU@Latn")) == "country")
  }

  @Test("go to the bus and back with the untranslated text under an empty key")
  func all() {
    let text = LocalisedText("Night", translations: ["es": "Noche"])
    #expect(text.all == ["": "Night", "es": "Noche"])
    #expect(LocalisedText(all: text.all) == text)
    #expect(LocalisedText(all: [:]) == LocalisedText(""))
  }

  @Test("of keywords are one list, each word once")
  func keywords() {
    let list = LocalisedList(
      ["dark", "theme"], translations: ["fr": ["nuit", "dark"], "es": ["noche", "noche"]])
    #expect(list.all == ["dark", "theme", "noche", "nuit"])
    #expect(LocalisedList().all.isEmpty)
    #expect(LocalisedList(["a", "a"]).all == ["a"])
  }
}
