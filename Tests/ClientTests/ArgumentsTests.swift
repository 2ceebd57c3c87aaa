// SPDX-License-Identifier: MIT

import Settings
import Testing

@testable import Client

@Suite("Arguments")
struct ArgumentsTests {
  private func parse(_ line: String) throws -> Command {
    try Arguments.parse(line.split(separator: " ").map(String.init))
  }

  private func failure(_ line: String) -> String? {
    do throws(Failure) {
      _ = try Arguments.parse(line.split(separator: " ").map(String.init))
      return nil
    } catch {
      let report = Report(error)
      #expect(report.code == .usage)
      return report.text
    }
  }

  @Test("no verb means list")
  func defaultVerb() throws {
    #expect(try parse("") == .run(Invocation(.list)))
    var expected = Invocation(.list, [], scope: .session)
    expected.json = true
    #expect(try parse("--user --json") == .run(expected))
  }

  @Test("options may stand before and after the verb and its operands")
  func optionPlaces() throws {
    var expected = Invocation(.get, ["wifi", "night"], scope: .system)
    expected.json = true
    for line in [
      "--system --json get wifi night", "get --system wifi --json night",
      "get wifi night --json --system",
    ] {
      #expect(try parse(line) == .run(expected))
    }
  }

  @Test("two dashes end the options")
  func endOfOptions() throws {
    #expect(try parse("list -- --json -x") == .run(Invocation(.list, ["--json", "-x"])))
    #expect(try parse("get -- wifi") == .run(Invocation(.get, ["wifi"])))
  }

  @Test("each option is understood")
  func options() throws {
    var quiet = Invocation(.get, ["wifi"])
    quiet.quiet = true
    #expect(try parse("get -q wifi") == .run(quiet))
    #expect(try parse("get wifi --quiet") == .run(quiet))

    var flip = Invocation(.on, ["wifi"])
    flip.verbose = true
    flip.asksPassword = false
    flip.colour = false
    #expect(try parse("on -v wifi --no-ask-password --no-color") == .run(flip))
    #expect(try parse("on --verbose wifi --no-ask-password --no-color") == .run(flip))
  }

  @Test("help and version win over everything that is well-formed")
  func helpAndVersion() throws {
    #expect(try parse("--help") == .help(nil))
    #expect(try parse("-h") == .help(nil))
    #expect(try parse("get --help") == .help(.get))
    #expect(try parse("--help get") == .help(.get))
    #expect(try parse("--version") == .version)
  }

  @Test(
    "what makes no sense is refused with words that help",
    arguments: [
      ("--jsn", "unknown option '--jsn', did you mean '--json'?"),
      ("--frobnicate", "unknown option '--frobnicate'; see 'togglectl --help'"),
      ("--session", "unknown option '--session', did you mean '--user'?"),
      ("--json=yes", "the option '--json' takes no value"),
      ("-x", "unknown option '-x'; see 'togglectl --help'"),
      ("get -qx wifi", "unknown option '-x' in '-qx'; see 'togglectl --help'"),
      ("lst", "unknown verb 'lst', did you mean 'list'?"),
      ("bluetooth", "unknown verb 'bluetooth'; see 'togglectl --help'"),
      ("get", "'get' needs the id of a row; see 'togglectl --help'"),
      ("on --json", "'on' needs the id of a row; see 'togglectl --help'"),
      ("reload now", "'reload' takes no arguments, but got 'now'"),
      ("sections x", "'sections' takes no arguments, but got 'x'"),
      ("list -q", "'-q' goes with 'get' only, not with 'list'"),
      ("get -q a b", "'get -q' takes one row, but got 2"),
      ("get -q --json a", "'-q' and '--json' exclude each other"),
      ("get -v a", "'-v' goes with 'on', 'off', 'toggle' and 'reset', not with 'get'"),
      (
        "--system --user",
        "'--system' and '--user' exclude each other; without either both are asked"
      ),
      ("hold wifi -- true", "'hold' is not supported yet"),
      ("export", "'export' is not supported yet"),
      ("apply x", "'apply' is not supported yet"),
      ("menu", "'menu' is not supported yet"),
      ("ui", "'ui' is not supported yet"),
      ("-H box list", "the option '-H' is not supported yet"),
      ("-Mbox list", "the option '-M' is not supported yet"),
      ("--host=box list", "the option '--host' is not supported yet"),
    ])
  func refusals(line: String, expected: String) {
    #expect(failure(line) == expected)
  }

  @Test("no argument can steer the terminal through an error message")
  func controlCharacters() {
    #expect(failure("\u{1b}[31mred") == "unknown verb '[31mred'; see 'togglectl --help'")
  }
}
