// SPDX-License-Identifier: MIT

import Backends
import EventLoop
import Settings
import System
import TestSupport
import Testing

@MainActor
@Suite("a command row", .serialized)
struct CommandBackendTests {
  private let stage: Stage
  private let runner: ProgramRunner

  init() throws {
    stage = try Stage()
    runner = ProgramRunner(loop: stage.loop)
  }

  private func sh(_ script: String) -> [String] { ["sh", "-c", script] }

  private func backend(
    _ definition: CommandBackendDefinition, timeout: Duration = patience
  ) -> CommandBackend {
    let values = StoredValues(
      directory: stage.directory.path, writer: DurableWriter(loop: stage.loop), notice: stage.note)
    return CommandBackend(
      definition, assumption: AssumedValue(name: "row", values: values), timeout: timeout,
      runner: runner, loop: stage.loop)
  }

  private struct Case: CustomTestStringConvertible, Sendable {
    let script: String
    var successIsOn = false
    let meaning: String

    var testDescription: String { "\(script), SuccessIsOn=\(successIsOn)" }
  }

  @Test(
    "State means on, off, mixed, or why neither can be said; a failure is never off",
    arguments: [
      Case(script: "echo on", meaning: "on"), Case(script: "echo ' TRUE '", meaning: "on"),
      Case(script: "printf enabled", meaning: "on"), Case(script: "echo 0", meaning: "off"),
      Case(script: "echo inactive", meaning: "off"), Case(script: "echo mixed", meaning: "mixed"),
      Case(script: "true", meaning: "unrecognised"),
      Case(script: "echo on off", meaning: "unrecognised"),
      Case(script: "printf '\\377\\376on'", meaning: "unrecognised"),
      Case(script: "printf 'on\\0'", meaning: "unrecognised"),
      Case(script: "echo '{\"on\":'", meaning: "unrecognised"),
      Case(script: "head -c 1000000 /dev/zero", meaning: "unrecognised"),
      Case(script: "echo off; exit 1", meaning: "failed"),
      Case(script: "echo on; exit 255", meaning: "failed"),
      Case(script: "echo off; kill -9 $$", meaning: "failed"),
      Case(script: "exec 1>&- 2>&-; exit 0", meaning: "unrecognised"),
      Case(script: "no-such-program-here", meaning: "not-found"),
      Case(script: "exit 69", meaning: "no-service"),
      Case(script: "exit 77", meaning: "no-access"),
      Case(script: "exit 0", successIsOn: true, meaning: "on"),
      Case(script: "echo on; exit 1", successIsOn: true, meaning: "off"),
      Case(script: "exit 2", successIsOn: true, meaning: "failed"),
      Case(script: "kill $$", successIsOn: true, meaning: "failed"),
    ])
  private func meaning(example: Case) throws {
    let backend = backend(
      CommandBackendDefinition(state: sh(example.script), successIsOn: example.successIsOn))
    #expect(try stage.read(backend).summary == example.meaning)
  }

  @Test("a program that is not there is named, and where it was looked for")
  func missing() throws {
    let problem = try stage.read(
      backend(CommandBackendDefinition(state: ["no-such-program-here"]))
    ).problem
    #expect(problem?.reason == .notFound)
    #expect(problem?.text.contains("no-such-program-here in /usr/local/sbin:") ?? false)
  }

  @Test("a State that hangs is ended with all it started, and is a time-out")
  func hangs() throws {
    let pid = stage.directory.path("pid")
    let script = "sleep 1000 & echo $! > \(pid).new; mv \(pid).new \(pid); wait"
    let backend = backend(
      CommandBackendDefinition(state: sh(script)), timeout: .milliseconds(500))
    #expect(try stage.read(backend).problem?.reason == .timeout)
    try awaitEnd(of: pid)
  }

  @Test("what a program leaves behind in its group ends with it, and keeps nobody waiting")
  func grandchild() throws {
    let pid = stage.directory.path("pid")
    let script = "sleep 1000 & echo $! > \(pid); echo on"
    #expect(try stage.read(backend(CommandBackendDefinition(state: sh(script)))) == .on)
    try awaitEnd(of: pid)
  }

  @Test("a flip runs On or Off, and what failed is said in the program's own words")
  func flips() throws {
    let knob = try stage.directory.write("off", to: "knob")
    let backend = backend(
      CommandBackendDefinition(
        state: ["cat", knob], on: sh("echo on > \(knob)"),
        off: sh("echo noise; echo 'no way' >&2; exit 3")))
    stage.start(backend)
    try stage.awaitReport(.off)
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(try stage.read(backend) == .on)
    let result = try stage.write(backend, false)
    guard case .failure(let error) = result else {
      Issue.record("turned off")
      return
    }
    #expect(error.kind == .backendFailed)
    #expect(error.message == "Off's sh exited with status 3: no way")
  }

  @Test("however many ask, one State runs at a time and one waits")
  func joined() throws {
    let log = stage.directory.path("runs")
    let backend = backend(
      CommandBackendDefinition(state: sh("echo x >> \(log); echo on")))
    var answers = 0
    for _ in 0..<50 { backend.read { _ in answers += 1 } }
    try stage.turn("fifty answers") { answers == 50 }
    #expect(try Files.read(log, limit: 1000).count == 4)
  }

  @Test("a line of Watch's has State run again; a flood of them, only so often")
  func watch() throws {
    let knob = try stage.directory.write("off", to: "knob")
    let fifo = stage.directory.path("fifo")
    let runs = stage.directory.path("runs")
    let backend = backend(
      CommandBackendDefinition(
        state: sh("echo x >> \(runs); cat \(knob)"),
        watch: sh("mkfifo \(fifo); while read line < \(fifo); do yes | head -n 10000; done")))
    stage.start(backend)
    try stage.awaitReport(.off)
    try stage.directory.write("on", to: "knob")
    try stage.turn("the fifo") { Files.exists(fifo) }
    let writer = try ChildProcess.spawn(arguments: sh("echo x > \(fifo)"))
    var hasEnded = false
    let child = try stage.loop.child(writer) { _ in hasEnded = true }
    try stage.awaitReport(.on)
    try stage.turn("the writer's end") { hasEnded }
    backend.stop()
    _ = child
    #expect(try Files.read(runs, limit: 100_000).count < 200)
  }

  @Test("while Watch is dead the row says so beside its value, until Watch is back")
  func deadWatch() throws {
    let knob = try stage.directory.write("on", to: "knob")
    let good = stage.directory.path("good")
    let backend = backend(
      CommandBackendDefinition(
        state: ["cat", knob],
        watch: sh("[ -e \(good) ] || { echo 'no good' >&2; exit 5; }; exec sleep 1000")))
    stage.start(backend)
    let text = try stage.awaitProblem(.failed)
    #expect(text == "nothing tells of changes: Watch's sh exited with status 5: no good")
    #expect(stage.reports.last?.state == .on)
    try stage.directory.write("", to: "good")
    try stage.awaitReport(.on)
    backend.stop()
    runner.finish()
  }

  @Test("without State the row is what it was last set to, in this boot of the machine")
  func assumed() throws {
    let definition = CommandBackendDefinition(on: ["true"], off: ["true"])
    let first = backend(definition)
    stage.start(first)
    #expect(stage.reports.last?.problem?.reason == .unrecognised)
    #expect(try stage.write(first, true).failureKind == nil)
    #expect(try stage.read(first) == .on)
    #expect(try stage.read(backend(definition)) == .on)
    try stage.directory.write("on since boot another\n", to: "row")
    #expect(try stage.read(backend(definition)).problem?.reason == .unrecognised)
  }
}

/// Waits until the process whose number this file has is no more.
private func awaitEnd(of file: String) throws {
  let text = String(decoding: try Files.read(file, limit: 64), as: UTF8.self)
  try Processes.waitForEnd(of: try #require(Int32(text.split(separator: "\n").first ?? "")))
}
