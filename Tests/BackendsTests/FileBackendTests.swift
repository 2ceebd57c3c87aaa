// SPDX-License-Identifier: MIT

import Backends
import EventLoop
import Glibc
import Settings
import System
import TestSupport
import Testing

@MainActor
@Suite("a file row")
struct FileBackendTests {
  private let stage: Stage

  init() throws {
    stage = try Stage()
  }

  private func backend(
    _ path: String, on: [String] = ["1"], off: [String] = ["0"], interval: Duration? = nil
  ) -> FileBackend {
    FileBackend(
      FileBackendDefinition(path: path, on: on, off: off, interval: interval), loop: stage.loop,
      notice: stage.note)
  }

  /// Writes as a shell's `>` does: into the file that is there.
  private func overwrite(_ path: String, _ text: String) throws {
    try Files.write(Array(text.utf8), into: path)
  }

  private struct Case: CustomTestStringConvertible, Sendable {
    let text: String
    var on = ["1"]
    var off = ["0"]
    let meaning: String

    var testDescription: String { "\(text.debugDescription) by On=\(on) Off=\(off)" }
  }

  @Test(
    "a text means on, off or neither, without the newline at its end",
    arguments: [
      Case(text: "1\n", meaning: "on"), Case(text: "1", meaning: "on"),
      Case(text: "0\n", meaning: "off"), Case(text: "1\n\n", meaning: "unrecognised"),
      Case(text: " 1\n", meaning: "unrecognised"), Case(text: "10", meaning: "unrecognised"),
      Case(text: "", meaning: "unrecognised"),
      Case(text: "yes\n", on: ["always", "yes"], off: ["no"], meaning: "on"),
      Case(text: "never\n", on: ["yes"], off: ["no", "never"], meaning: "off"),
      Case(text: "anything", on: ["yes"], off: [], meaning: "off"),
      Case(text: "\n", on: ["yes"], off: [""], meaning: "off"),
      Case(text: "", on: [""], off: ["x"], meaning: "on"),
      Case(text: "1\0\n", meaning: "unrecognised"),
    ])
  private func meaning(example: Case) throws {
    let path = try stage.directory.write(example.text, to: "knob")
    let backend = backend(path, on: example.on, off: example.off)
    stage.start(backend)
    #expect(stage.reports.map(\.summary) == [example.meaning])
  }

  @Test("a flip writes the first of the values, and a newline")
  func write() throws {
    let path = try stage.directory.write("no", to: "knob")
    let backend = backend(path, on: ["always", "yes"], off: ["never", "no"])
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(String(decoding: try Files.read(path, limit: 64), as: UTF8.self) == "always\n")
    #expect(try stage.read(backend) == .on)
    #expect(try stage.write(backend, false).failureKind == nil)
    #expect(String(decoding: try Files.read(path, limit: 64), as: UTF8.self) == "never\n")
  }

  @Test("without Off it can't be turned off")
  func noOff() throws {
    let path = try stage.directory.write("1", to: "knob")
    #expect(try stage.write(backend(path, off: []), false).failureKind == .notSupported)
    #expect(String(decoding: try Files.read(path, limit: 64), as: UTF8.self) == "1")
  }

  @Test("a change by another program is noticed")
  func change() throws {
    let path = try stage.directory.write("0", to: "knob")
    let backend = backend(path)
    stage.start(backend)
    for on in [true, false, true] {
      try overwrite(path, on ? "1\n" : "0\n")
      try stage.awaitReport(Reading(on))
    }
  }

  @Test("a file that is being rewritten is not taken for an empty one")
  func rewriting() throws {
    let path = try stage.directory.write("1", to: "knob")
    let backend = backend(path, off: [])
    stage.start(backend)
    stage.forgetReports()
    try overwrite(path, "")
    // The loop sees the empty file before it is filled again.
    try stage.loop.turn(atMost: patience)
    try overwrite(path, "1\n")
    try stage.turn { !stage.reports.isEmpty }
    #expect(stage.reports.allSatisfy { $0 == .on }, "\(stage.reports)")
  }

  @Test("a file that stays empty is neither on nor off")
  func emptied() throws {
    let path = try stage.directory.write("1", to: "knob")
    let backend = backend(path)
    stage.start(backend)
    try overwrite(path, "")
    try stage.awaitProblem(.unrecognised)
  }

  @Test("a file that is replaced by another is followed, also while someone holds the old one open")
  func replaced() throws {
    let path = try stage.directory.write("0", to: "knob")
    let backend = backend(path)
    stage.start(backend)
    for round in 0..<3 {
      let old = try FileDescriptor.open(path, [.readOnly])
      try stage.directory.write("1", to: "knob")
      try stage.awaitReport(.on)
      // The watch is with the new file.
      try overwrite(path, "0")
      try stage.awaitReport(.off)
      _ = (round, old.raw)
    }
  }

  @Test("a file that vanishes is not-found, and is read again when it returns")
  func vanishes() throws {
    let path = try stage.directory.write("1", to: "deep/er/knob")
    let backend = backend(path)
    stage.start(backend)
    try Files.remove(path)
    #expect(try stage.awaitProblem(.notFound).contains(path))
    try stage.directory.write("0", to: "deep/er/knob")
    try stage.awaitReport(.off)
    try overwrite(path, "1")
    try stage.awaitReport(.on)
  }

  @Test("a file that vanishes with its directory is read again when both return")
  func directoryVanishes() throws {
    let path = try stage.directory.write("1", to: "deep/er/knob")
    let backend = backend(path)
    stage.start(backend)
    try Files.rename(stage.directory.path("deep"), to: stage.directory.path("away"))
    // Nothing tells of a directory above that is renamed; who asks learns it.
    #expect(try stage.read(backend).summary == "not-found")
    try stage.directory.write("0", to: "deep/er/knob")
    try stage.awaitReport(.off)
  }

  @Test("a link is followed, and noticed when it is turned")
  func link() throws {
    let (first, second) = (
      try stage.directory.write("0", to: "first"), try stage.directory.write("1", to: "second")
    )
    let path = stage.directory.path("knob")
    #expect(symlink(first, path) == 0)
    let backend = backend(path)
    stage.start(backend)
    #expect(stage.reports == [.off])
    #expect(symlink(second, "\(path).new") == 0)
    try Files.rename("\(path).new", to: path)
    try stage.awaitReport(.on)
    try overwrite(second, "0")
    try stage.awaitReport(.off)
  }

  @Test(
    "what is no small file is a failure, and is never opened",
    arguments: ["fifo", "directory", "huge", "/dev/zero", "/dev/full"])
  func wrongKinds(kind: String) throws {
    var path = stage.directory.path(kind)
    switch kind {
    case "fifo": #expect(mkfifo(path, 0o600) == 0)
    case "directory": try stage.directory.makeDirectory(kind)
    case "huge":
      try stage.directory.write("1", to: kind)
      #expect(truncate(path, 1 << 40) == 0)
    default: path = kind
    }
    let backend = backend(path)
    stage.start(backend)
    #expect(stage.reports.map(\.summary) == ["failed"])
    if kind != "huge" {
      #expect(try stage.write(backend, true).failureKind == .backendFailed)
    }
    #expect(try stage.read(backend).summary == "failed")
  }

  @Test("a flip of a file that is not there says so, and makes none")
  func missing() throws {
    let backend = backend(stage.directory.path("knob"))
    stage.start(backend)
    #expect(stage.reports.map(\.summary) == ["not-found"])
    #expect(try stage.write(backend, true).failureKind == .unavailable)
    #expect(!Files.exists(stage.directory.path("knob")))
  }

  @Test("after stop nothing is reported")
  func stopped() throws {
    let path = try stage.directory.write("1", to: "knob")
    let backend = backend(path, interval: .milliseconds(1))
    stage.start(backend)
    backend.stop()
    stage.forgetReports()
    try overwrite(path, "0")
    var isOver = false
    let timer = stage.loop.after(.milliseconds(20)) { isOver = true }
    try stage.turn { isOver }
    #expect(stage.reports == [])
    withExtendedLifetime(timer) {}
  }
}
