// SPDX-License-Identifier: MIT

import DBusTypes
import Settings
import Testing

@testable import Client

@Suite("The list and its companions")
struct RenderingTests {
  private let spanish = Locale("es_ES.UTF-8")

  private func list(
    _ locale: Locale = .untranslated, _ depth: ColourDepth = .none, utf8: Bool = true,
    columns: Int? = nil, board: Board = Sample.board
  ) -> String {
    ListRendering(locale, Palette(depth), Signs(utf8: utf8), columns: columns).text(board)
  }

  @Test("the list reads without colours")
  func plain() {
    #expect(
      list() == """
        Appearance
          ■ Do Not Disturb  dnd      ○━━ off
          ■ Night Mode      night    ━━● on
            Dark colours after sunset

        Network
          ■ Wi-Fi           wifi     ╌?╌ unknown
            (net.example is not running)
          ■ Privacy         privacy  ━◐━ mixed, turning on, held
          Radios and more.

        """)
  }

  @Test("the list speaks the reader's language, and draws in ASCII where it must")
  func spanishASCII() {
    #expect(
      list(spanish, utf8: false) == """
        Apariencia
          * Do Not Disturb  dnd      o-- off
          * Modo nocturno   night    --@ on
            Colores oscuros

        Red
          * Wi-Fi           wifi      ?  unknown
            (net.example is not running)
          * Privacy         privacy  -%- mixed, turning on, held
          Radios and more.

        """)
  }

  @Test("icons and switches have their colours, in 24 bits, 256 colours and 8")
  func colours() {
    let board = Board(
      sections: [Sample.section("appearance", [("", "Appearance")])], rows: [Sample.night])
    func expected(_ icon: String, _ knob: String) -> String {
      "\u{1b}[1mAppearance\u{1b}[0m\n"
        + "  \u{1b}[\(icon)m■\u{1b}[0m Night Mode  \u{1b}[2mnight\u{1b}[0m  "
        + "\u{1b}[\(knob)m━━●\u{1b}[0m on\n"
        + "\u{1b}[2m    Dark colours after sunset\u{1b}[0m\n"
    }
    #expect(
      list(.untranslated, .full, board: board) == expected("38;2;88;86;214", "38;2;52;199;89"))
    #expect(
      list(.untranslated, .twoHundredFiftySix, board: board) == expected("38;5;62", "38;5;77"))
    #expect(list(.untranslated, .eight, board: board) == expected("34", "32"))
  }

  @Test("colours only decorate: without them the text is the same")
  func decoration() {
    var text = list(spanish, .full)
    while let start = text.firstIndex(of: "\u{1b}"), let end = text[start...].firstIndex(of: "m") {
      text.removeSubrange(start...end)
    }
    #expect(text == list(spanish))
  }

  @Test("long texts are wrapped at the terminal's edge")
  func wrapping() {
    let row = Sample.row(
      "a", [("Subtitles", Sample.texts([("", "one two three four five six seven")]))])
    let board = Board(sections: [], rows: [row])
    #expect(
      list(columns: 26, board: board) == """
        appearance
          ■ a  a  ○━━ off
            one two three four
            five six seven

        """)
  }

  @Test("a row takes two lines where one would not fit")
  func narrow() {
    let row = Sample.row(
      "low_power", [("Titles", Sample.texts([("", "Low Power Mode")]))])
    let board = Board(sections: [], rows: [row])
    #expect(list(columns: 42, board: board).contains("  ■ Low Power Mode  low_power  ○━━ off\n"))
    #expect(
      list(columns: 41, board: board) == """
        appearance
          ■ Low Power Mode
            ○━━ off  low_power

        """)
  }

  @Test("columns line up by cells, and one long title does not push the others")
  func alignment() {
    let long = String(repeating: "x", count: 50)
    let board = Board(
      sections: [],
      rows: [
        Sample.row("a", [("Titles", Sample.texts([("", "日本語")]))]),
        Sample.row("b", [("Titles", Sample.texts([("", "Ascii")]))]),
        Sample.row("c", [("Titles", Sample.texts([("", long)]))]),
      ])
    #expect(
      list(board: board) == """
        appearance
          ■ 日本語  a  ○━━ off
          ■ Ascii   b  ○━━ off
          ■ \(long)  c  ○━━ off

        """)
  }

  @Test("an id of both buses is shown with what tells them apart")
  func ambiguous() {
    let board = Board(sections: [], rows: [Sample.row("a"), Sample.row("a", scope: .system)])
    #expect(
      list(board: board) == """
        appearance
          ■ a  a --user    ○━━ off
          ■ a  a --system  ○━━ off

        """)
  }

  @Test("titles can't steer the terminal")
  func hostileTitles() {
    let row = Sample.row(
      "a",
      [
        ("Titles", Sample.texts([("", "\u{1b}]0;pwned\u{7}Title\nfake")])),
        ("ReasonText", .string("\u{1b}[31mno")), ("Target", .string("\u{1b}c")),
      ])
    let section = Sample.section("appearance", [("", "A\u{1b}[5m")], footer: "\u{9b}1m")
    let text = list(board: Board(sections: [section], rows: [row]))
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !(0..<0x20).contains($0.value) })
    #expect(!text.unicodeScalars.contains { (0x7f...0x9f).contains($0.value) })
    #expect(text.hasPrefix("A[5m\n  ■ ]0;pwnedTitle fake  a"))
  }

  @Test("no rows make no list")
  func empty() {
    #expect(list(board: Board(sections: [], rows: [])) == "")
  }

  @Test("sections are a table")
  func sections() {
    let rendering = SectionRendering(.untranslated, Palette(.none))
    #expect(
      rendering.text(Sample.board) == """
        ID          ORDER  ROWS  TITLE
        appearance      1     2  Appearance
        network         2     2  Network

        """)
    let other = Sample.section("other", [("", "Other")], order: .max)
    #expect(
      rendering.text(Board(sections: [other], rows: [])) == """
        ID     ORDER  ROWS  TITLE
        other   last     0  Other

        """)
    #expect(
      JSON.lines(SectionRendering(spanish, Palette(.none)).json(Sample.board)) == """
        [{"id":"appearance","bus":"session","path":"/org/toggled/sections/appearance",\
        "title":"Apariencia","footer":"","order":1,"rows":2},
         {"id":"network","bus":"session","path":"/org/toggled/sections/network",\
        "title":"Red","footer":"Radios and more.","order":2,"rows":1}]

        """)
  }

  @Test("show tells all of a row, and leaves out what it has not")
  func show() {
    let rendering = ShowRendering(.untranslated, Palette(.none)) { "at \($0)" }
    #expect(
      rendering.text(Sample.night) == """
        Night Mode
          Id        night
          Subtitle  Dark colours after sunset
          State     on
          Schedule  sunset-sunrise, followed now, next change at 1796061720000000
          Section   appearance
          Order     1
          Keywords  dark, oscuro
          Backend   stored
          Style     automatic
          Symbols   weather-clear-night-symbolic, object-select-symbolic, window-close-symbolic
          Colours   #5856d6 (icon), #ffffff (on the icon), #34c759 (switch)
          Bus       session
          Object    /org/toggled/rows/night

        """)
    #expect(
      rendering.text(Sample.wifi).contains(
        """
          State    unknown (last known: on)
          Trouble  net.example is not running (no-service)

        """))
    #expect(
      rendering.text(Sample.privacy).contains(
        "  Held     on by org.example.App: a \"call\"\n"))
  }

  @Test("every reason has words where the daemon sends none")
  func reasons() {
    let reasons = [
      "locked", "no-service", "no-device", "not-found", "no-access", "hard-blocked",
      "unrecognised", "timeout", "failed",
    ]
    let words = reasons.compactMap { Sample.row("a", [("Reason", .string($0))]).trouble }
    #expect(Set(words).count == reasons.count)
    #expect(Set(words).isDisjoint(with: reasons))
    #expect(Sample.row("a", [("Reason", .string("new-one"))]).trouble == "new-one")
    #expect(Sample.row("a").trouble == nil)
  }
}
