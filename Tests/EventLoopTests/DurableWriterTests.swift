// SPDX-License-Identifier: MIT

import EventLoop
import System
import TestSupport
import Testing

@MainActor
@Suite("DurableWriter", .serialized)
struct DurableWriterTests {
  let loop: EventLoop
  let directory: TemporaryDirectory

  init() throws {
    loop = try EventLoop()
    directory = try TemporaryDirectory()
  }

  private func contents(_ name: String) throws -> String {
    String(decoding: try Files.read(directory.path(name), limit: 1 << 20), as: UTF8.self)
  }

  @Test("puts the bytes in place, then tells", arguments: [false, true])
  func writing(inPlace: Bool) throws {
    let writer = DurableWriter(loop: loop, inPlace: inPlace)
    var results: [Result<Void, Errno>] = []
    writer.replace(directory.path("state"), with: Array("one".utf8), mode: 0o640) {
      results.append($0)
    }
    // Never from within the call: the caller is not ready for it.
    #expect(results.isEmpty)
    #expect(!writer.isIdle)
    try loop.turn { !results.isEmpty }
    try results[0].get()
    #expect(writer.isIdle)
    #expect(try contents("state") == "one")
    #expect(try Files.status(directory.path("state")).permissions == 0o640)
    #expect(try Files.list(directory.path) == ["state"])
  }

  @Test(
    "writes to one path follow each other; those that wait become one", arguments: [false, true])
  func order(inPlace: Bool) throws {
    let writer = DurableWriter(loop: loop, inPlace: inPlace)
    var told: [Int] = []
    var seen: [String] = []
    for number in 0..<20 {
      writer.replace(directory.path("state"), with: Array("\(number)".utf8)) { result in
        #expect((try? result.get()) != nil)
        told.append(number)
        seen.append((try? contents("state")) ?? "")
      }
    }
    try loop.turn { told.count == 20 }
    #expect(told == Array(0..<20))
    // The first went alone; the others found the newest in place.
    #expect(seen == ["0"] + Array(repeating: "19", count: 19))
    #expect(try Files.list(directory.path) == ["state"])
  }

  @Test("more paths at once than the kernel takes requests for are all written")
  func manyPaths() throws {
    let writer = DurableWriter(loop: loop)
    var told = 0
    for number in 0..<60 {
      writer.replace(directory.path("\(number)"), with: Array("\(number)".utf8)) { result in
        #expect((try? result.get()) != nil)
        told += 1
      }
    }
    try loop.turn { told == 60 }
    for number in 0..<60 { #expect(try contents("\(number)") == "\(number)") }
  }

  @Test(
    "a failure is told, keeps the old file and does not stop the next", arguments: [false, true])
  func failures(inPlace: Bool) throws {
    let writer = DurableWriter(loop: loop, inPlace: inPlace)
    var results: [Result<Void, Errno>] = []
    try directory.write("kept", to: "taken/inside")
    writer.replace(directory.path("gone/state"), with: [1]) { results.append($0) }
    #expect(results.isEmpty)
    writer.replace(directory.path("taken"), with: [1]) { results.append($0) }
    writer.replace(directory.path("gone/state"), with: [2]) { results.append($0) }
    try loop.turn { results.count == 3 }
    let errors = results.compactMap { if case .failure(let error) = $0 { error } else { nil } }
    #expect(Set(errors) == [.noSuchFileOrDirectory, .isDirectory])
    #expect(try contents("taken/inside") == "kept")
    #expect(try Files.list(directory.path) == ["taken"])
    try directory.makeDirectory("gone")
    writer.replace(directory.path("gone/state"), with: Array("3".utf8)) { results.append($0) }
    try loop.turn { results.count == 4 }
    #expect(try contents("gone/state") == "3")
  }

  @Test("a completion may write again")
  func again() throws {
    let writer = DurableWriter(loop: loop)
    var rounds = 0
    func next() {
      writer.replace(directory.path("state"), with: Array("\(rounds)".utf8)) { _ in
        rounds += 1
        if rounds < 5 { next() }
      }
    }
    next()
    try loop.turn { rounds == 5 }
    #expect(try contents("state") == "4")
  }

  @Test("finish waits for all that is under way, without the loop", arguments: [false, true])
  func finishing(inPlace: Bool) throws {
    let writer = DurableWriter(loop: loop, inPlace: inPlace)
    var told = 0
    for number in 0..<5 {
      writer.replace(directory.path("a"), with: Array("\(number)".utf8)) { _ in told += 1 }
      writer.replace(directory.path("b"), with: Array("\(number)".utf8)) { _ in told += 1 }
      writer.replace(directory.path("gone/c"), with: [1]) { _ in told += 1 }
    }
    writer.finish()
    #expect(told == 15)
    #expect(writer.isIdle)
    #expect(try contents("a") == "4")
    #expect(try contents("b") == "4")
    writer.finish()
    try loop.settle()
    #expect(told == 15)
  }

  @Test("what was begun is ended though the writer was dropped")
  func dropped() throws {
    var told = 0
    weak var gone: DurableWriter?
    do {
      let writer = DurableWriter(loop: loop)
      gone = writer
      writer.replace(directory.path("state"), with: Array("1".utf8)) { _ in told += 1 }
      writer.replace(directory.path("state"), with: Array("2".utf8)) { _ in told += 1 }
    }
    #expect(gone != nil)
    try loop.turn { told == 2 }
    try loop.settle()
    #expect(gone == nil)
    #expect(try contents("state") == "2")
  }
}
