// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("What others say")
struct PrintableTests {
  @Test("steers no terminal and turns no writing, in a row's reason or in an answer")
  func texts() {
    let words = "it said\u{1b}[2J\u{7}: \u{202e}no\u{2066}\r\n\tfi\u{0}re"
    #expect(Problem(.failed, words).text == "it said[2J: no fire")
    #expect(FlipError(.backendFailed, words).message == "it said[2J: no fire")
  }
}
