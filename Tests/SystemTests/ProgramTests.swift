// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

@Suite("Programs of tests")
struct ProgramTests {
  @Test("a run gives the status and both streams")
  func run() throws {
    let outcome = try Program.run(
      ["sh", "-c", "cat; echo oops >&2; exit 3"], input: "in\n")
    #expect(outcome == Program.Outcome(status: .exited(3), output: "in\n", error: "oops\n"))
  }

  @Test("only a clean environment reaches it")
  func environment() throws {
    let outcome = try Program.run(["/usr/bin/env"], environment: ["A": "b"])
    let names = Set(
      outcome.output.split(separator: "\n").compactMap { $0.split(separator: "=").first })
    #expect(names.isSuperset(of: ["A", "PATH", "LC_ALL"]))
    #expect(!names.contains { $0.hasPrefix("DBUS_") || $0.hasPrefix("XDG_") || $0 == "HOME" })
  }

  @Test("lines are waited for in their order")
  func lines() throws {
    let program = try Program(
      ["sh", "-c", "echo one; echo two; read -r x; printf 'got %s' $x"], hasInput: true)
    try program.waitForLine(containing: "two")
    try program.write("three\n")
    #expect(try program.waitForLine(containing: "got") == "got three")
    #expect(try program.waitForExit() == .exited(0))
    #expect(program.text() == "one\ntwo\ngot three")
  }

  @Test("a wait ends with the program, and says what came instead")
  func endedEarly() throws {
    let program = try Program(["sh", "-c", "echo bad luck >&2; exit 9"])
    let failure = #expect(throws: TestFailure.self) { try program.waitForLine(containing: "ready") }
    let text = try #require(failure?.description)
    #expect(text.contains("it exited with status 9"))
    #expect(text.contains("bad luck"))
  }

  @Test("a wait ends at its deadline")
  func deadline() throws {
    let program = try Program(["sleep", "600"])
    #expect(throws: TestFailure.self) { try program.waitForExit(within: .milliseconds(10)) }
    #expect(program.exitStatus == nil)
    try program.send(SIGTERM)
    #expect(try program.waitForExit() == .signalled(SIGTERM))
  }

  @Test("more output than a pipe holds is read while it is waited for")
  func muchOutput() throws {
    let outcome = try Program.run(["head", "-c", "3000000", "/dev/zero"])
    #expect(outcome.status.isSuccess)
    #expect(outcome.output.utf8.count == 3_000_000)
  }

  @Test("a program whose output nobody reads dies of it")
  func closedOutput() throws {
    let program = try Program(["yes"])
    program.stopReading(.output)
    #expect(try program.waitForExit() == .signalled(SIGPIPE))
  }

  @Test("what it started dies with it")
  func group() throws {
    let child: Int32
    do {
      let program = try Program(["sh", "-c", "sleep 600 & echo $!; wait"])
      let line = try program.waitForLine { _ in true }
      child = try #require(Int32(line))
    }
    try Processes.waitForEnd(of: child)
  }

  @Test("it dies with the test process, whatever kills that")
  func orphan() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("pid")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let program = try Program(["sh", "-c", "sleep 600 & echo $!; wait"])
      let child = try program.waitForLine { _ in true }
      try Files.replace(path, with: Array(child.utf8))
      kill(getpid(), SIGKILL)
    }
    let text = String(decoding: try Files.read(path, limit: 64), as: UTF8.self)
    try Processes.waitForEnd(of: try #require(Int32(text)))
  }

  @Test("the runner's neighbours are found")
  func products() throws {
    let failure = #expect(throws: TestFailure.self) { try Products.path("no-such-product") }
    #expect(failure?.description.contains("no-such-product is not built") == true)
  }
}
