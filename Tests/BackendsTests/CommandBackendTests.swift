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
    _ definition: CommandBackendDefinition, timeout: Duration = patience,
    values: StoredValues? = nil, runner: ProgramRunner? = nil
  ) -> CommandBackend {
    CommandBackend(
      definition, of: "lamp",
      assumption: AssumedValue(name: "row", values: values ?? self.values()),
      timeout: timeout, runner: runner ?? self.runner, loop: stage.loop)
  }

  /// What a daemon knows that has just been started: no more than what is on the disk.
  private func values() -> StoredValues {
    StoredValues(
      directory: stage.directory.path, writer: DurableWriter(loop: stage.loop), notice: stage.note)
  }

  /// Starts what is to be started, and waits for the file that it makes; no time is over meanwhile.
  private func begin(_ file: String) throws {
    try stage.loop.turn(atMost: .zero)
    try stage.awaitFile(file, on: EventLoop())
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
      Case(script: "printf 'mixed\\n\\n'", meaning: "mixed"),
      Case(script: "printf 'off\\r\\n'", meaning: "off"),
      Case(script: "echo '{\"on\":'", meaning: "unrecognised"),
      Case(script: "echo on >&2", meaning: "unrecognised"),
      Case(script: "(sleep 600; echo off) & echo on", meaning: "on"),
      Case(script: "setsid sh -c 'exec sleep 1' & echo on", meaning: "on"),
      Case(script: "echo on; exec >&- 2>&-; sleep 0.1", meaning: "on"),
      Case(script: "head -c 1000000 /dev/zero", meaning: "unrecognised"),
      Case(script: "echo off; exit 1", meaning: "failed"),
      Case(script: "echo on; exit 255", meaning: "failed"),
      Case(script: "echo off; kill -9 $$", meaning: "failed"),
      Case(script: "exec 1>&- 2>&-; exit 0", meaning: "unrecognised"),
      Case(script: "no-such-program-here", meaning: "not-found"),
      Case(script: "exit 69", meaning: "no-service"),
      Case(script: "exit 77", meaning: "no-access"),
      Case(script: "exit 126", meaning: "no-access"),
      Case(script: "exit 0", successIsOn: true, meaning: "on"),
      Case(script: "echo on; exit 1", successIsOn: true, meaning: "off"),
      Case(script: "echo inactive; exit 3", successIsOn: true, meaning: "off"),
      Case(script: "echo 'a password is needed' >&2; exit 1", successIsOn: true, meaning: "failed"),
      Case(script: "exit 2", successIsOn: true, meaning: "failed"),
      Case(script: "exit 127", successIsOn: true, meaning: "not-found"),
      Case(script: "exit 255", successIsOn: true, meaning: "failed"),
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
      CommandBackendDefinition(state: sh(script)), timeout: .milliseconds(100))
    var reading: Reading?
    backend.read { reading = $0 }
    try begin("pid")
    try stage.turn("the end of its time") { reading != nil }
    #expect(reading?.problem?.reason == .timeout)
    try stage.awaitEnd(ofProcessIn: "pid")
  }

  @Test("what a program leaves behind in its group ends with it, and keeps nobody waiting")
  func grandchild() throws {
    let pid = stage.directory.path("pid")
    let script = "sleep 1000 & echo $! > \(pid); echo on"
    #expect(try stage.read(backend(CommandBackendDefinition(state: sh(script)))) == .on)
    try stage.awaitEnd(ofProcessIn: "pid")
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

  @Test("a flip that takes too long is ended, and the next one begins only when it is gone")
  func lateFlip() throws {
    let log = stage.directory.path("log")
    let hang =
      "trap 'sleep 0.2; echo gone >> \(log); exit' TERM; echo on >> \(log); "
      + "while :; do sleep 0.01; done"
    // It has all the time that it needs to go.
    let runner = ProgramRunner(loop: stage.loop, grace: patience)
    let backend = backend(
      CommandBackendDefinition(
        state: ["cat", log], on: sh(hang), off: sh("echo off >> \(log)")),
      timeout: .seconds(2), runner: runner)
    var late: Result<Void, FlipError>?
    backend.write(true, for: .nobody) { late = $0 }
    try begin("log")
    #expect(try stage.write(backend, false).failureKind == nil)
    #expect(late?.failureKind == .timedOut)
    #expect(stage.text(of: "log") == "on\ngone\noff\n")
  }

  @Test("a flip whose program is missing, or that the row file has none for, names what to mend")
  func cannotFlip() throws {
    let backend = backend(
      CommandBackendDefinition(state: sh("echo on"), on: ["no-such-program-here"]))
    guard case .failure(let missing) = try stage.write(backend, true),
      case .failure(let none) = try stage.write(backend, false)
    else { throw TestFailure("flipped") }
    #expect(missing.kind == .unavailable)
    #expect(
      missing.message.hasPrefix("there is no program no-such-program-here in /usr/local/sbin:"))
    #expect(none.kind == .notSupported)
    #expect(none.message == "the row file has no command for this; add Off= to [Backend]")
  }

  @Test("a State that fails is tried again, without anyone asking, until it succeeds")
  func retried() throws {
    let backend = backend(
      CommandBackendDefinition(state: sh("cat \(stage.directory.path("knob")) || exit 69")))
    stage.start(backend)
    try stage.awaitProblem(.noService)
    try stage.directory.write("on", to: "knob")
    try stage.awaitReport(.on)
    #expect(!stage.reports.contains { $0.state == .off })
  }

  @Test("a row that goes takes its programs with it, begun or not, and says nothing more")
  func stopped() throws {
    let log = stage.directory.path("log")
    let script = "echo x >> \(log).new; mv \(log).new \(log); exec sleep 1000"
    let backend = backend(CommandBackendDefinition(state: sh(script), on: sh(script)))
    var answers = 0
    backend.read { _ in answers += 1 }
    #expect(try stage.awaitFile("log") == "x\n")
    backend.write(true, for: .nobody) { _ in answers += 1 }
    backend.stop()
    runner.finish()
    #expect(answers == 0)
    #expect(stage.text(of: "log") == "x\n")
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

  @Test("a line of Watch's has State run again, whatever the line is")
  func watch() throws {
    let knob = try stage.directory.write("off", to: "knob")
    let fifo = stage.directory.path("fifo")
    let backend = backend(
      CommandBackendDefinition(
        state: ["cat", knob],
        // Whoever finds it finds it open: nobody may write into it before.
        watch: sh("mkfifo \(fifo).new; exec <> \(fifo).new; mv \(fifo).new \(fifo); exec cat")))
    stage.start(backend)
    try stage.awaitReport(.off)
    try stage.awaitFile("fifo")
    for (value, line) in [("on", "off\n"), ("off", "\n"), ("on", "\u{0}\u{1b}\n")] {
      try stage.directory.write(value, to: "knob")
      try stage.say(line, into: fifo)
      try stage.awaitReport(Reading(value == "on"))
    }
  }

  @Test("a change that Watch missed because it was not ready yet is read all the same")
  func watchStartsLate() throws {
    let knob = try stage.directory.write("off", to: "knob")
    let ready = stage.directory.path("ready")
    let backend = backend(
      CommandBackendDefinition(
        state: ["cat", knob], watch: sh("echo > \(ready); exec sleep 1000")))
    stage.start(backend)
    try stage.awaitReport(.off)
    try stage.awaitFile("ready")
    try stage.directory.write("on", to: "knob")
    try stage.awaitReport(.on)
  }

  @Test("a Watch that floods has State run ten times a second, and the loop turn little more often")
  func watchFloods() throws {
    let log = stage.directory.path("log")
    let backend = backend(
      CommandBackendDefinition(state: sh("echo x >> \(log); echo on"), watch: ["yes"]))
    stage.start(backend)
    try stage.awaitReport(.on)
    let start = EventLoop.now
    var turns = 0
    while EventLoop.now - start < .seconds(1) {
      try stage.loop.turn(atMost: .milliseconds(100))
      turns += 1
    }
    let tenths = (EventLoop.now - start) / .milliseconds(100)
    #expect(Double(stage.text(of: "log").utf8.count / 2) <= tenths + 3)
    // A State is four things to the loop at most: its end, its two pipes, and its pause.
    #expect(Double(turns) <= (tenths + 3) * 8)
  }

  @Test("a Watch that is not installed is named, and tried again when someone asks")
  func missingWatch() throws {
    let watch = stage.directory.path("watch")
    let backend = backend(CommandBackendDefinition(state: sh("echo on"), watch: [watch]))
    stage.start(backend)
    try stage.turn("the reason") { stage.reports.last?.problem?.reason == .notFound }
    #expect(
      stage.reports.last == Reading.on.with(Problem(.notFound, "there is no program \(watch)")))
    try stage.directory.write("#!/bin/sh\nexec sleep 1000\n", to: "watch", mode: 0o755)
    _ = try stage.read(backend)
    try stage.awaitReport(.on)
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
    // That is as it should be, and nothing to set aside.
    #expect(Files.exists(stage.directory.path("row")))
    #expect(stage.notices == [])
  }

  @Test("what is on its way to the disk counts for a row without State that starts anew")
  func assumedOnItsWay() throws {
    let definition = CommandBackendDefinition(on: ["true"], off: ["true"])
    let writer = DurableWriter(loop: stage.loop)
    let values = StoredValues(
      directory: stage.directory.path, writer: writer, notice: stage.note)
    let first = backend(definition, values: values)
    #expect(try stage.write(first, false).failureKind == nil)
    first.write(true, for: .nobody) { _ in }
    try stage.turn("a value on its way") { !writer.isIdle }
    #expect(stage.text(of: "row").hasPrefix("off "))
    #expect(try stage.read(backend(definition, values: values)) == .on)
  }

  @Test(
    "a damaged value of a row without State is set aside, said so, and unknown until a flip",
    arguments: ["", "on\n", "on since boot", "on since boot a\nb\n", "maybe since boot a\n"])
  func assumedDamaged(text: String) throws {
    let definition = CommandBackendDefinition(on: ["true"], off: ["true"])
    let path = try stage.directory.write(text, to: "row")
    let backend = backend(definition)
    #expect(try stage.read(backend).summary == "unrecognised")
    #expect(Files.exists("\(path).damaged"))
    #expect(stage.notices.count == 1)
    #expect(stage.notices.first?.contains("\(path).damaged") == true)
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(try stage.read(backend) == .on)
  }
}

extension Stage {
  /// Writes into a FIFO that someone has open.
  fileprivate func say(_ line: String, into fifo: String) throws {
    try FileDescriptor.open(fifo, [.writeOnly, .nonBlocking]).writeAll(Array(line.utf8))
  }
}
