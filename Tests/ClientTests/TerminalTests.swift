// SPDX-License-Identifier: MIT

import Settings
import Testing

@testable import Client

@Suite("The terminal")
struct TerminalTests {
  @Test(
    "widths are counted in cells",
    arguments: [
      ("", 0), ("abc", 3), ("Día", 3), ("Di\u{301}a", 3), ("日本語", 6), ("한국", 4),
      ("\u{1112}\u{1161}\u{11ab}", 2), ("ｆｕｌｌ", 8), ("ﾊﾝｶｸ", 4), ("👍", 2), ("👍🏽", 2),
      ("👨‍👩‍👧", 2), ("🇪🇸", 2), ("❤️", 2), ("❤", 1), ("━━●", 3), ("■", 1), ("עברית", 5),
      ("กำลัง", 4), ("a\u{200b}b", 2), ("a\u{200d}b", 2), ("\u{1b}[1m", 3), ("〰", 2), ("हिन्दी", 5),
    ])
  func widths(text: String, cells: Int) {
    #expect(text.displayWidth == cells)
  }

  @Test(
    "what could steer a terminal is taken out",
    arguments: [
      ("plain", "plain"), ("\u{1b}[2J\u{7}x", "[2Jx"), ("a\r\nb\tc", "a b c"),
      ("a\u{9b}31mb", "a31mb"), ("a\u{202e}b\u{2066}c", "abc"), ("a\u{2028}b", "a b"),
      ("日本\u{0}", "日本"), ("👨‍👩‍👧", "👨‍👩‍👧"), ("\u{7f}\u{feff}", ""),
    ])
  func printable(text: String, expected: String) {
    #expect(text.printable == expected)
  }

  @Test(
    "colours are chosen by the environment",
    arguments: [
      ([:], .none),
      (["TERM": "dumb", "COLORTERM": "truecolor"], .none),
      (["TERM": "vt100"], .none),
      (["TERM": "xterm"], .eight),
      (["TERM": "linux", "NO_COLOR": ""], .eight),
      (["TERM": "xterm-256color", "NO_COLOR": "0"], .none),
      (["TERM": "xterm-256color"], .twoHundredFiftySix),
      (["TERM": "screen.xterm-256color", "COLORTERM": "yes"], .twoHundredFiftySix),
      (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .full),
      (["TERM": "screen", "COLORTERM": "24bit"], .full),
      (["TERM": "xterm-direct"], .full),
    ] as [([String: String], ColourDepth)])
  func depth(environment: [String: String], expected: ColourDepth) {
    func value(_ name: String) -> String? { environment[name] }
    #expect(ColourDepth(wanted: true, isTerminal: true, environment: value) == expected)
    #expect(ColourDepth(wanted: false, isTerminal: true, environment: value) == .none)
    #expect(ColourDepth(wanted: true, isTerminal: false, environment: value) == .none)
  }

  @Test(
    "a colour becomes the nearest that the terminal has",
    arguments: [
      ("red", 1, 203), ("orange", 3, 208), ("yellow", 3, 220), ("green", 2, 77),
      ("mint", 6, 43), ("teal", 6, 74), ("cyan", 6, 74), ("blue", 4, 33), ("indigo", 4, 62),
      ("purple", 5, 134), ("pink", 1, 197), ("brown", 3, 137), ("gray", 7, 246),
      ("white", 7, 231), ("black", 0, 16),
    ])
  func nearest(name: String, eight: Int, palette: Int) {
    let colour = Colour(name)
    #expect(Palette(.none).coloured("x", colour) == "x")
    #expect(Palette(.eight).coloured("x", colour) == "\u{1b}[3\(eight)mx\u{1b}[0m")
    #expect(
      Palette(.twoHundredFiftySix).coloured("x", colour) == "\u{1b}[38;5;\(palette)mx\u{1b}[0m")
  }

  @Test("a colour that is none leaves the text alone")
  func noColour() {
    #expect(Palette(.full).coloured("x", nil) == "x")
    #expect(
      Palette(.full).coloured("x", Colour(rgb: 0x5856d6)) == "\u{1b}[38;2;88;86;214mx\u{1b}[0m")
    #expect(Palette(.none).bold("x") + Palette(.none).dim("x") == "xx")
  }

  @Test(
    "the character set is the locale's",
    arguments: [
      ([:], "o--"), (["LANG": "C"], "o--"), (["LANG": "C.UTF-8"], "○━━"),
      (["LANG": "es_ES.utf8@euro"], "○━━"), (["LANG": "de_DE.ISO-8859-1"], "o--"),
      (["LANG": "C.UTF-8", "LC_CTYPE": "C"], "o--"),
      (["LANG": "C", "LC_CTYPE": "C", "LC_ALL": "en_US.UTF-8"], "○━━"),
      (["LC_ALL": "", "LANG": "en_US.UTF-8"], "○━━"), (["LC_MESSAGES": "en_US.UTF-8"], "o--"),
    ] as [([String: String], String)])
  func characterSet(environment: [String: String], off: String) {
    #expect(Signs(environment: { environment[$0] }).knob(.off) == off)
  }

  @Test("every state has a sign of its own, as wide as the others", arguments: [true, false])
  func signs(utf8: Bool) {
    let states: [SwitchState] = [.on, .off, .mixed, .unknown]
    let knobs = states.map(Signs(utf8: utf8).knob)
    #expect(Set(knobs).count == 4)
    #expect(knobs.allSatisfy { $0.displayWidth == 3 })
  }
}
