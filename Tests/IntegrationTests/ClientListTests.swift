// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// What togglectl shows people, in their language and on their terminal.
@MainActor
@Suite("togglectl for people", .serialized)
struct ClientListTests {
  private let stage: Stage

  init() throws {
    stage = try Stage.serving(ClientRows.files)
  }

  @Test("list is in the reader's language, whatever the daemon's")
  func languages() throws {
    let english = try Togglectl(session: stage).run("list").output
    for text in ["Home", "Lamp", "On the desk", "Garden Gate", "What is at home."] {
      #expect(english.contains(text), "\(english)")
    }
    let spanish = try Togglectl(session: stage, language: "es_ES.UTF-8").run("list").output
    for text in ["Casa", "Lámpara", "En el escritorio", "Puerta del jardín"] {
      #expect(spanish.contains(text), "\(spanish)")
    }
    #expect(!spanish.contains("Garden Gate"))
    // What has no translation stays as it is.
    #expect(spanish.contains("Sensor"))
  }

  @Test("JSON has the texts in the reader's language and everything else untranslated")
  func languageOfJSON() throws {
    let spanish = try Togglectl(session: stage, language: "es_ES.UTF-8")
      .run("--json", "show", "lamp").output
    #expect(spanish.contains("\"title\":\"Lámpara\""), "\(spanish)")
    #expect(spanish.contains("\"state\":\"on\""), "\(spanish)")
  }

  @Test("words narrow the list, in any language", arguments: ["light", "LUZ", "jardín", "casa"])
  func words(_ word: String) throws {
    let output = try Togglectl(session: stage).run("list", word).output
    #expect(output.contains("Lamp") || output.contains("Garden Gate"), "\(output)")
    #expect(!output.contains("Sensor"), "\(output)")
  }

  @Test("without a terminal there are no colours, whatever the terminal could")
  func colours() throws {
    let client = Togglectl(session: stage)
    let plain = try client.run(
      ["list"], environment: ["COLORTERM": "truecolor", "TERM": "xterm-256color"])
    #expect(!plain.output.contains("\u{1b}"))
  }

  @Test(
    "on a terminal the colours are those it can show",
    arguments: [
      (["COLORTERM=truecolor", "TERM=xterm-256color"], "38;2;255;204;0"),
      (["TERM=xterm-256color"], "38;5;"), (["TERM=xterm"], "\u{1b}[3"),
      (["TERM=xterm", "NO_COLOR=1"], ""), (["TERM=dumb"], ""),
    ])
  func terminal(_ variables: [String], _ expected: String) throws {
    // script(1) gives the program a terminal.
    let command = "\(try Products.path("togglectl")) list"
    let outcome = try Program.run(
      ["env"] + variables + ["script", "-qec", command, "/dev/null"],
      environment: [
        "DBUS_SESSION_BUS_ADDRESS": stage.bus.address,
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus",
      ])
    #expect(outcome.output.contains("Lamp"), "\(outcome)")
    if expected.isEmpty {
      #expect(!outcome.output.contains("\u{1b}[3"), "\(outcome.output.debugDescription)")
    } else {
      #expect(outcome.output.contains(expected), "\(outcome.output.debugDescription)")
    }
  }

  @Test("every state can be read without colour")
  func states() throws {
    let output = try Togglectl(session: stage).run("list").output
    let lines = output.split(separator: "\n")
    for (title, state) in [
      ("Lamp", "on"), ("Garden Gate", "off"), ("Everything", "mixed"), ("Sensor", "unknown"),
      ("Alarm", "locked"),
    ] {
      let line = try #require(lines.first { $0.contains(title) })
      #expect(line.contains(state), "\(line)")
    }
  }
}
