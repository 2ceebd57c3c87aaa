// SPDX-License-Identifier: MIT

import Settings
import Testing

@testable import Service

@Suite("The daemon's options")
struct OptionsTests {
  @Test("every option reaches its place, as two words and as one")
  func options() throws {
    for arguments in [
      [
        "--system", "--rows", "/r", "--state", "/s", "--address", "unix:path=/b", "--rfkill", "/f",
        "--log-level", "debug",
      ],
      [
        "--rows=/r", "--state=/s", "--system", "--address=unix:path=/b", "--rfkill=/f",
        "--log-level=debug",
      ],
    ] {
      guard case .serve(let options) = Options.parse(arguments) else {
        Issue.record("\(arguments) is not taken")
        continue
      }
      #expect(options.scope == .system)
      #expect(options.rowsDirectory == "/r")
      #expect(options.stateDirectory == "/s")
      #expect(options.address == "unix:path=/b")
      #expect(options.radioDevice == "/f")
      #expect(options.logLevel == .debug)
    }
  }

  @Test("what is not given is left to the scope")
  func defaults() throws {
    guard case .serve(let options) = Options.parse(["--session"]) else {
      Issue.record("--session alone is not taken")
      return
    }
    #expect(options.scope == .session)
    #expect(options.rowsDirectory == nil && options.stateDirectory == nil)
    #expect(options.address == nil)
    #expect(options.radioDevice == "/dev/rfkill")
    #expect(options.logLevel == .info)
  }

  @Test(
    "wrong arguments are named, with what was expected",
    arguments: [
      ([], "--system or --session"), (["--system", "--session"], "exclude each other"),
      (["--system=yes"], "--system takes no value"), (["--rows"], "--rows needs a value"),
      (["--session", "--state="], "--state needs a value"),
      (["--session", "--log-level", "loud"], "'loud'; expected one of emerg, alert"),
      (["--session", "--frobnicate"], "'--frobnicate'"), (["--session", "lamp"], "'lamp'"),
      (["--session", ""], "''"),
    ])
  func wrong(_ arguments: [String], _ expected: String) throws {
    guard case .usage(let text) = Options.parse(arguments) else {
      Issue.record("\(arguments) is taken")
      return
    }
    #expect(text.contains(expected), "\(text)")
  }

  @Test("a level is known by each of its names, and by no other")
  func levels() {
    for level in Log.Level.allCases { #expect(Log.Level(name: level.name) == level) }
    #expect(Log.Level.allCases.map(\.name).count == 8)
    #expect(Log.Level(name: "INFO") == nil)
    #expect(Log.Level.error < Log.Level.debug)
  }

  @Test("help names every option, fits a terminal, and the version is the package's")
  func texts() {
    guard case .print(let help) = Options.parse(["--help"]),
      case .print(let version) = Options.parse(["--version"])
    else {
      Issue.record("--help and --version print")
      return
    }
    for option in [
      "--system", "--session", "--rows", "--state", "--address", "--rfkill", "--log-level",
      "--help",
      "--version",
    ] {
      #expect(help.contains("  \(option) "), "\(option)")
    }
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(version == "toggled \(Version.current)\n")
  }
}
