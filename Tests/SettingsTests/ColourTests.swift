// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("Colours")
struct ColourTests {
  @Test(
    "have SwiftUI's names, with Apple's light-mode values and a foreground that reads",
    arguments: [
      ("red", "#ff3b30", "#ffffff"), ("orange", "#ff9500", "#ffffff"),
      ("yellow", "#ffcc00", "#000000"), ("green", "#34c759", "#ffffff"),
      ("mint", "#00c7be", "#ffffff"), ("teal", "#30b0c7", "#ffffff"),
      ("cyan", "#32ade6", "#ffffff"), ("blue", "#007aff", "#ffffff"),
      ("indigo", "#5856d6", "#ffffff"), ("purple", "#af52de", "#ffffff"),
      ("pink", "#ff2d55", "#ffffff"), ("brown", "#a2845e", "#ffffff"),
      ("gray", "#8e8e93", "#ffffff"), ("white", "#ffffff", "#000000"),
      ("black", "#000000", "#ffffff"),
    ])
  func named(_ name: String, _ hex: String, _ foreground: String) {
    #expect(Colour(name)?.hex == hex)
    #expect(Colour(name)?.foreground.hex == foreground)
  }

  @Test("all have one of the listed names")
  func names() {
    #expect(Colour.names.count == 15)
    #expect(Colour.names.allSatisfy { Colour($0) != nil })
  }

  @Test(
    "may be written in hexadecimal",
    arguments: [("#012345", "#012345"), ("#ABCDEF", "#abcdef"), ("#000000", "#000000")])
  func hexadecimal(_ text: String, _ hex: String) {
    #expect(Colour(text)?.hex == hex)
  }

  @Test(
    "may not be written otherwise",
    arguments: [
      "", "#", "#fff", "#12345", "#1234567", "#+12345", "#-12345", "#gggggg", "123456", "Red",
      "grey", "#12345é", " red",
    ])
  func invalid(_ text: String) {
    #expect(Colour(text) == nil)
  }

  @Test("have a black foreground above a luminance of a half, on either side of the line")
  func boundary() {
    // Of neutral grays the linear component is the luminance: 0.4969 at 187, 0.5029 at 188.
    #expect(Colour(red: 187, green: 187, blue: 187).foreground == .white)
    #expect(Colour(red: 188, green: 188, blue: 188).foreground == .black)
  }

  @Test("are taken apart and put together by channel")
  func channels() {
    let colour = Colour(rgb: 0x010203)
    #expect((colour.red, colour.green, colour.blue) == (1, 2, 3))
    #expect(colour == Colour(red: 1, green: 2, blue: 3))
  }
}
