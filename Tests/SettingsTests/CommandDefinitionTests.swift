// SPDX-License-Identifier: MIT

import DBusTypes
import Settings
import Testing

@Suite("A [Backend] of type command")
struct CommandDefinitionTests {
  private func text(_ keys: String) -> String {
    "[Row]\nTitle=A\n[Backend]\nType=command\n\(keys)\n"
  }

  @Test("is read into programs and their arguments")
  func complete() throws {
    let keys = """
      State=dunstctl is-paused
      On="/opt/my tools/flip" on
      Off=sh -c "exit 1"
      Watch=pactl subscribe
      Interval=2.5
      SuccessIsOn=true
      """
    let definition = CommandBackendDefinition(
      state: ["dunstctl", "is-paused"], on: ["/opt/my tools/flip", "on"],
      off: ["sh", "-c", "exit 1"], watch: ["pactl", "subscribe"], interval: .milliseconds(2500),
      successIsOn: true)
    let backend = try row(text(keys)).backend
    #expect(backend == BackendDefinition(.command(definition)))
    #expect(backend.typeName == "command" && !backend.isAssumed)
  }

  @Test("is there while one of the bus names that it lists has an owner")
  func busNames() throws {
    #expect(try row(text("State=a\nBusName=b.c")).backend.busNames == ["b.c"])
    // A service's property says by itself whether its service is there.
    let error = errors("[Row]\nTitle=A\n[Backend]\nType=file\nPath=/a\nBusName=b.c\n").first
    #expect(error?.hasPrefix("x.row:6: Type=file has no key 'BusName'") == true)
  }

  @Test("without State is assumed to be what it was set to")
  func assumed() throws {
    #expect(try row(text("On=a\nOff=b")).backend.isAssumed)
  }

  @Test(
    "is told what is wrong with it",
    arguments: [
      ("", "x.row:3: State is missing in [Backend]; expected a command line, or On= and Off="),
      (
        "On=a\nWatch=b",
        "x.row:3: State is missing in [Backend]; expected the command line that "
          + "Watch is about"
      ),
      ("State=", "x.row:5: State is empty, which is no command line: a program is missing"),
      (
        "State=bin/a",
        "x.row:5: State is 'bin/a', which is no command line: the program 'bin/a' is "
          + "neither an absolute path nor a name"
      ),
      ("State=a\nInterval=0", "x.row:6: Interval is '0'; expected seconds from 0.1 to 86400"),
    ])
  func wrong(keys: String, error: String) {
    #expect(errors(text(keys)) == [error])
  }
}
