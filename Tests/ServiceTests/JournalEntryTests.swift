// SPDX-License-Identifier: MIT

import Testing

@testable import Service

@Suite("An entry of the journal")
struct JournalEntryTests {
  @Test("is a line a field")
  func lines() {
    let entry = JournalEntry(.info, "row wifi turned on", [("ROW", "wifi"), ("VALUE", "on")])
    let text = String(decoding: entry.bytes, as: UTF8.self)
    #expect(
      text == """
        PRIORITY=6
        SYSLOG_IDENTIFIER=toggled
        MESSAGE=row wifi turned on
        ROW=wifi
        VALUE=on

        """)
  }

  @Test("says the length of a value with a line break, which forges no field")
  func lineBreak() {
    let entry = JournalEntry(.error, "a\nROW=b", [])
    let end = Array("MESSAGE\n".utf8) + [7, 0, 0, 0, 0, 0, 0, 0] + Array("a\nROW=b\n".utf8)
    #expect(entry.bytes.suffix(end.count) == end[...])
  }
}
