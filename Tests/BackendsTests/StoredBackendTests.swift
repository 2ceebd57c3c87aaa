// SPDX-License-Identifier: MIT

import Backends
import EventLoop
import Settings
import System
import TestSupport
import Testing

@MainActor
@Suite("a stored value")
struct StoredBackendTests {
  private let stage: Stage
  private let values: StoredValues

  init() throws {
    stage = try Stage()
    values = StoredValues(
      directory: stage.directory.path("state"), writer: DurableWriter(loop: stage.loop),
      notice: stage.note)
  }

  private func backend(
    _ defaultValue: Bool? = nil, in values: StoredValues? = nil
  ) throws -> StoredBackend {
    StoredBackend(
      id: try #require(RowID("lamp")), defaultValue: defaultValue, values: values ?? self.values)
  }

  @Test("one that was never flipped is its default, or off", arguments: [true, false, nil])
  func defaults(value: Bool?) throws {
    let backend = try backend(value)
    stage.start(backend)
    #expect(stage.reports == [Reading(value ?? false)])
    #expect(!Files.exists(stage.directory.path("state")))
  }

  @Test("a flip is on the disk when it is answered, and another daemon reads it")
  func survives() throws {
    for on in [true, false, true] {
      #expect(try stage.write(backend(), on).failureKind == nil)
      let bytes = try Files.read(stage.directory.path("state/lamp"), limit: 64)
      #expect(String(decoding: bytes, as: UTF8.self) == (on ? "on\n" : "off\n"))
      #expect(try stage.read(backend(!on)) == Reading(on))
    }
  }

  @Test("a flip and its opposite right after it leave the opposite")
  func inARow() throws {
    let backend = try backend()
    var ends: [Bool] = []
    backend.write(true, for: .nobody) { ends.append($0.failureKind == nil) }
    backend.write(false, for: .nobody) { ends.append($0.failureKind == nil) }
    backend.write(true, for: .nobody) { ends.append($0.failureKind == nil) }
    try stage.turn { ends.count == 3 }
    #expect(ends == [true, true, true])
    #expect(try stage.read(backend) == .on)
  }

  @Test("a value is taken with its newline or without", arguments: ["on", "on\n"])
  func newline(text: String) throws {
    try stage.directory.write(text, to: "state/lamp")
    #expect(try stage.read(backend()) == .on)
  }

  @Test(
    "a damaged file is set aside, said so, and the row is unknown until it is flipped",
    arguments: ["", "o", "ON\n", "on\n\n", "off\0", String(repeating: "on\n", count: 100_000)])
  func damaged(text: String) throws {
    let path = try stage.directory.write(text, to: "state/lamp")
    let backend = try backend(true)
    stage.start(backend)
    #expect(stage.reports.map(\.summary) == ["unrecognised"])
    #expect(!Files.exists(path))
    #expect(Files.exists("\(path).damaged"))
    #expect(stage.notices.count == 1)
    #expect(stage.notices.first?.contains("\(path).damaged") == true)
    // Neither the next reading nor the next daemon takes the default for it.
    #expect(try stage.read(backend).summary == "unrecognised")
    #expect(try stage.read(self.backend(true)).summary == "unrecognised")
    #expect(stage.notices.count == 1)
    #expect(try stage.write(backend, false).failureKind == nil)
    #expect(try stage.read(backend) == .off)
  }

  @Test("what is no file is set aside too")
  func directory() throws {
    try stage.directory.makeDirectory("state/lamp/sub")
    #expect(try stage.read(backend()).summary == "unrecognised")
    #expect(try stage.write(backend(), true).failureKind == nil)
    #expect(try stage.read(backend()) == .on)
  }

  @Test("where nothing can be written the flip fails with the reason, and the value stays")
  func unwritable() throws {
    try stage.directory.write("", to: "file")
    let nowhere = StoredValues(
      directory: stage.directory.path("file/state"), writer: DurableWriter(loop: stage.loop),
      notice: stage.note)
    let backend = try backend(true, in: nowhere)
    let result = try stage.write(backend, false)
    #expect(result.failureKind == .backendFailed)
    if case .failure(let error) = result {
      #expect(error.message.contains("file/state"), "\(error.message)")
    }
    #expect(try stage.read(backend) == .on)
  }

  @Test("what a crash left half written is cleared away, and no value with it")
  func leftovers() throws {
    #expect(try stage.write(backend(), true).failureKind == nil)
    let before = try Files.list(stage.directory.path("state"))
    values.removeLeftovers()
    #expect(try Files.list(stage.directory.path("state")) == before)
    #expect(before == ["lamp"])
    #expect(stage.notices == [])
  }
}
