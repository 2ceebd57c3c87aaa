// SPDX-License-Identifier: MIT

import DBusTypes
import Settings
import Testing

@Suite("The [Row] group")
struct RowDefinitionTests {
  @Test("has defaults for all but Title")
  func defaults() throws {
    let row = try row(storedRow("A"))
    #expect(row.id.rawValue == "x")
    #expect(row.file == "/r/x.row")
    #expect(row.title == LocalisedText("A"))
    #expect(row.subtitle == LocalisedText(""))
    #expect(row.section == .other)
    #expect(row.order == 0)
    #expect(row.symbol == "")
    #expect(row.onSymbol == "object-select-symbolic")
    #expect(row.offSymbol == "window-close-symbolic")
    #expect(row.iconColour == .blue)
    #expect(row.switchColour == .green)
    #expect(row.style == .automatic)
    #expect(row.keywords == LocalisedList())
    #expect(row.scope == .session)
    #expect(row.defaultValue == nil)
    #expect(!row.isLocked)
    #expect(row.timeout == .seconds(10))
    #expect(row.polkitAction == nil)
    #expect(row.runOnChange.isEmpty)
    #expect(row.tryExec == nil)
    #expect(!row.isHidden)
    #expect(row.backend == BackendDefinition(.stored))
    #expect(row.schedule == nil)
    #expect(row.portal == nil)
    #expect(row == RowDefinition(id: try id("x"), file: "/r/x.row", title: LocalisedText("A")))
  }

  @Test("says all there is to say of a session row")
  func everything() throws {
    let text = """
      [Row]
      Title=Night Mode
      Title[es]=Modo nocturno
      Subtitle=Dark colours\\nafter sunset
      Subtitle[de_AT]=Dunkel
      Order=-5
      Symbol=weather-clear-night-symbolic
      OnSymbol=on
      OffSymbol=off.2+x_y
      IconColor=indigo
      SwitchColor=#A0b1C2
      Style=checkbox
      Keywords=dark;night;
      Keywords[es]=oscuro;noche;
      Bus=session
      Default=on
      Locked=true
      Timeout=2.5
      RunOnChange=/usr/bin/notify-send "a b" 'c d' e\\\\sf
      TryExec=
      Hidden=false
      [Backend]
      Type=stored
      Invert=true
      """.replacing("TryExec=\n", with: "")
    let row = try row(text)
    #expect(row.title == LocalisedText("Night Mode", translations: ["es": "Modo nocturno"]))
    #expect(
      row.subtitle
        == LocalisedText("Dark colours\nafter sunset", translations: ["de_AT": "Dunkel"]))
    #expect(row.order == -5)
    #expect(row.symbol == "weather-clear-night-symbolic")
    #expect(row.onSymbol == "on")
    #expect(row.offSymbol == "off.2+x_y")
    #expect(row.iconColour == .indigo)
    #expect(row.switchColour.hex == "#a0b1c2")
    #expect(row.style == .checkbox)
    #expect(row.keywords.all == ["dark", "night", "oscuro", "noche"])
    #expect(row.scope == .session)
    #expect(row.defaultValue == true)
    #expect(row.isLocked)
    #expect(row.timeout == .milliseconds(2500))
    #expect(row.runOnChange == ["/usr/bin/notify-send", "a b", "c d", "e f"])
    #expect(!row.isHidden)
    #expect(row.backend == BackendDefinition(.stored, isInverted: true))
  }

  @Test("says what a system row may say")
  func system() throws {
    let row = try row(
      storedRow("A", "Bus=system", "PolkitAction=org.example.flip-it", "Default=off"),
      scope: .system)
    #expect(row.scope == .system)
    #expect(row.polkitAction == "org.example.flip-it")
    #expect(row.defaultValue == false)
  }

  @Test(
    "is wrong with a value that is not one",
    arguments: [
      ("Title=", "x.row:2: Title is empty; expected a short name for people"),
      (
        "Section=Looks",
        "x.row:2: Section is 'Looks'; expected a section's id (a to z, 0 to 9 and "
          + "_, a letter first, at most 64 characters)"
      ),
      (
        "Order=1.5",
        "x.row:2: Order is '1.5'; expected a whole number from -2147483648 to "
          + "2147483647"
      ),
      (
        "Order=2147483648",
        "x.row:2: Order is '2147483648'; expected a whole number from "
          + "-2147483648 to 2147483647"
      ),
      (
        "Symbol=/usr/share/x.png",
        "x.row:2: Symbol is '/usr/share/x.png'; expected an icon's name "
          + "such as weather-clear-symbolic"
      ),
      (
        "OnSymbol=",
        "x.row:2: OnSymbol is empty; expected an icon's name such as "
          + "weather-clear-symbolic"
      ),
      (
        "OffSymbol=a b",
        "x.row:2: OffSymbol is 'a b'; expected an icon's name such as "
          + "weather-clear-symbolic"
      ),
      (
        "IconColor=grey",
        "x.row:2: IconColor is 'grey'; expected #rrggbb or red, orange, yellow, "
          + "green, mint, teal, cyan, blue, indigo, purple, pink, brown, gray, white or black"
      ),
      (
        "SwitchColor=#12",
        "x.row:2: SwitchColor is '#12'; expected #rrggbb or red, orange, yellow, "
          + "green, mint, teal, cyan, blue, indigo, purple, pink, brown, gray, white or black"
      ),
      ("Style=radio", "x.row:2: Style is 'radio'; expected automatic, switch, button or checkbox"),
      ("Bus=user", "x.row:2: Bus is 'user'; expected system or session"),
      ("Default=true", "x.row:2: Default is 'true'; expected on or off"),
      ("Locked=yes", "x.row:2: Locked is 'yes'; expected true or false"),
      ("Hidden=1", "x.row:2: Hidden is '1'; expected true or false"),
      ("Timeout=0", "x.row:2: Timeout is '0'; expected seconds from 0.1 to 3600"),
      ("Timeout=3600.001", "x.row:2: Timeout is '3600.001'; expected seconds from 0.1 to 3600"),
      (
        "Timeout=99999999999999999999",
        "x.row:2: Timeout is '99999999999999999999'; expected "
          + "seconds from 0.1 to 3600"
      ),
      ("Timeout=1e3", "x.row:2: Timeout is '1e3'; expected seconds from 0.1 to 3600"),
      ("Timeout=-1", "x.row:2: Timeout is '-1'; expected seconds from 0.1 to 3600"),
      ("Timeout=1.", "x.row:2: Timeout is '1.'; expected seconds from 0.1 to 3600"),
      ("Timeout=1.0001", "x.row:2: Timeout is '1.0001'; expected seconds from 0.1 to 3600"),
      (
        "PolkitAction=flip",
        "x.row:2: PolkitAction is 'flip'; expected an action such as "
          + "org.example.flip"
      ),
      (
        "PolkitAction=a.b",
        "x.row:2: PolkitAction stands in a row of the session bus; expected "
          + "Bus=system"
      ),
      (
        "RunOnChange=",
        "x.row:2: RunOnChange is empty, which is no command line: a program is "
          + "missing"
      ),
      (
        "RunOnChange=a \"b",
        "x.row:2: RunOnChange is 'a \"b', which is no command line: the quote "
          + "\" is not closed"
      ),
      ("TryExec=bin/x", "x.row:2: TryExec is 'bin/x'; expected a program's name or absolute path"),
      (
        "Subtitle=a\\qb",
        "x.row:2: Subtitle holds the escape \\q; expected \\s, \\n, \\t, \\r, \\\\ "
          + "or \\;"
      ),
      ("Tilte=A", "x.row:2: [Row] has no key 'Tilte'; did you mean Title?"),
      (
        "Color=red",
        "x.row:2: [Row] has no key 'Color'; expected Bus, Default, Hidden, IconColor, "
          + "Keywords, Locked, OffSymbol, OnSymbol, Order, PolkitAction, RunOnChange, Section, "
          + "Style, Subtitle, SwitchColor, Symbol, Timeout, Title or TryExec"
      ),
      ("title=A", "x.row:2: [Row] has no key 'title'; did you mean Title?"),
      ("Order[es]=1", "x.row:2: Order[es]: Order can't be translated; expected Order="),
      ("Symbol[es]=a", "x.row:2: Symbol[es]: Symbol can't be translated; expected Symbol="),
      (
        "Subtitle[es]=a", "x.row:2: Subtitle[es] translates no Subtitle; expected Subtitle= as well"
      ),
    ])
  func badValue(_ line: String, _ expected: String) {
    let title = line.hasPrefix("Title") ? "" : "Title=A\n"
    #expect(errors("[Row]\n\(line)\n\(title)[Backend]\nType=stored\n") == [expected])
  }

  @Test("takes the shortest and longest times")
  func times() throws {
    #expect(try row(storedRow("A", "Timeout=0.1")).timeout == .milliseconds(100))
    #expect(try row(storedRow("A", "Timeout=3600")).timeout == .seconds(3600))
    #expect(try row(storedRow("A", "Timeout=1.05")).timeout == .milliseconds(1050))
  }

  @Test(
    "is wrong where parts are missing or don't go together",
    arguments: [
      (
        "",
        [
          "x.row: the group [Backend] is missing; expected Type= in it",
          "x.row: the group [Row] is missing; expected Title= in it",
        ]
      ),
      (
        "[Row]\n[Backend]\nType=stored",
        ["x.row:1: Title is missing in [Row]; expected a short name for people"]
      ),
      (
        "[Row]\nTitle[es]=A\n[Backend]\nType=stored",
        [
          "x.row:1: Title is missing in [Row]; expected a short name for people",
          "x.row:2: Title[es] translates no Title; expected Title= as well",
        ]
      ),
      ("[Row]\nTitle=A\n", ["x.row: the group [Backend] is missing; expected Type= in it"]),
      (
        storedRow("A", "Locked=true"),
        [
          "x.row:1: Default is missing in [Row]; expected on or off, the "
            + "value that Locked=true holds the row at"
        ]
      ),
      (
        storedRow("A", "Bus=system", "RunOnChange=x"),
        [
          "x.row:4: RunOnChange stands in a row of the "
            + "system bus; expected Bus=session"
        ]
      ),
      (
        storedRow("A") + "[Portals]\n",
        [
          "x.row:5: there is no group [Portals] in a row; did you mean "
            + "[Portal]?"
        ]
      ),
      (
        storedRow("A") + "[Desktop Entry]\n",
        [
          "x.row:5: there is no group [Desktop Entry] in a row; "
            + "expected [Row], [Backend], [Schedule] or [Portal]"
        ]
      ),
      (
        storedRow("A") + "[Backend.a]\n",
        [
          "x.row:5: there is no group [Backend.a] in a row; did you mean [Backend]?"
        ]
      ),
    ])
  func wholes(_ text: String, _ expected: [String]) {
    #expect(errors(text.isEmpty ? "#" : text) == expected)
  }

  @Test("reports everything that is wrong, over all groups, by line")
  func all() {
    let text = """
      [Row]
      Order=x
      Style=y
      [Backend]
      Type=file
      Pth=/a
      [Schedule]
      On=noon
      [Portal]
      Key=k k
      """
    #expect(
      errors(text) == [
        "x.row:1: Title is missing in [Row]; expected a short name for people",
        "x.row:2: Order is 'x'; expected a whole number from -2147483648 to 2147483647",
        "x.row:3: Style is 'y'; expected automatic, switch, button or checkbox",
        "x.row:4: Path is missing in [Backend]; expected an absolute path",
        "x.row:6: Type=file has no key 'Pth'; did you mean Path?",
        "x.row:7: Off is missing in [Schedule]; expected HH:MM, sunset or sunrise, the last two "
          + "with + or - up to 720 minutes",
        "x.row:8: On is 'noon'; expected HH:MM, sunset or sunrise, the last two with + or - up to "
          + "720 minutes",
        "x.row:9: Namespace is missing in [Portal]; expected a dotted name",
        "x.row:9: Off is missing in [Portal]; expected GVariant text such as uint32 1",
        "x.row:9: On is missing in [Portal]; expected GVariant text such as uint32 1",
        "x.row:10: Key is 'k k'; expected a key such as color-scheme",
      ])
  }

  @Test("leaves X- keys and groups alone")
  func extensions() throws {
    let row = try row(
      "[X-A]\nb=c\n" + storedRow("A", "X-Key=1", "X-Key[es]=2") + "X-C=\\q\n[X-A]\n")
    #expect(row.title.untranslated == "A")
  }
}
