// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("Ids of rows and sections")
struct IdentifierTests {
  @Test(
    "are letters, digits and underscores, a letter first",
    arguments: ["a", "wifi", "low_power", "a1", "a_", "x" + String(repeating: "9", count: 63)])
  func valid(_ text: String) {
    #expect(RowID(text)?.rawValue == text)
    #expect(SectionID(text)?.rawValue == text)
  }

  @Test(
    "are nothing else",
    arguments: [
      "", "A", "Wifi", "1a", "_a", "low-power", "a b", "a.b", "a/b", "..", "é", "aé", "a\0", "a\n",
      "x" + String(repeating: "9", count: 64),
    ])
  func invalid(_ text: String) {
    #expect(RowID(text) == nil)
    #expect(SectionID(text) == nil)
  }

  @Test("may be typed with - for _")
  func typed() {
    #expect(RowID(typed: "low-power")?.rawValue == "low_power")
    #expect(RowID(typed: "low_power")?.rawValue == "low_power")
    #expect(RowID(typed: "-power") == nil)
    #expect(RowID(typed: "Low-power") == nil)
  }
}
