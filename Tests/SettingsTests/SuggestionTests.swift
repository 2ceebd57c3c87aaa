// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("Suggestions")
struct SuggestionTests {
  private let names = ["wifi", "bluetooth", "low_power", "location", "location_reminders", "b"]

  @Test(
    "name what was most likely meant",
    arguments: [
      ("wfi", "wifi"), ("wiif", "wifi"), ("WiFi", "wifi"), ("low-powr", "low_power"),
      ("bluetoth", "bluetooth"), ("locaton", "location"), ("blue", "bluetooth"),
      ("location_reminder", "location_reminders"),
    ])
  func near(_ typed: String, _ expected: String) {
    #expect(suggestion(for: typed, among: names) == expected)
  }

  @Test("name nothing that is far off", arguments: ["", "x", "zzzz", "airplane", "wi", "a"])
  func far(_ typed: String) {
    #expect(suggestion(for: typed, among: names) == nil)
  }

  @Test("come nearest first, and no more than asked for")
  func order() {
    let names = ["row_c", "row_ab", "row_b", "row_a"]
    #expect(suggestions(for: "row_a", among: names, limit: 3) == ["row_a", "row_ab", "row_b"])
    #expect(suggestions(for: "row_a", among: names, limit: 0).isEmpty)
  }

  @Test("cost nothing for a text far longer than names are")
  func long() {
    #expect(suggestion(for: String(repeating: "a", count: 100_000), among: names) == nil)
  }
}
