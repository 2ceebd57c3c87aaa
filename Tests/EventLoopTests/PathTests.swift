// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import System
import TestSupport
import Testing

@MainActor
@Suite("Watching paths")
struct PathTests {
  let loop: EventLoop
  let directory: TemporaryDirectory

  init() throws {
    loop = try EventLoop()
    directory = try TemporaryDirectory()
  }

  /// Writes as another program does. In this process a child that another test's thread is just
  /// starting would have the file too, and its closing of that would be told for a second time.
  private func put(_ text: String, _ name: String) throws {
    let outcome = try Program.run(
      ["sh", "-c", "printf %s \"$1\" >\"$2\"", "sh", text, directory.path(name)])
    guard outcome.status.isSuccess else { throw TestFailure(outcome.error) }
  }

  private func removeDirectory(_ path: String) throws {
    _ = try systemCall { rmdir(path) }
  }

  @Test("a directory tells what happens to its names")
  func directoryEvents() throws {
    var events: [DirectoryEvent] = []
    let watch = try loop.directory(directory.path) { events.append($0) }
    let path = directory.path
    let table: [(() throws -> Void, [DirectoryEvent])] = [
      ({ try put("x", "a") }, [.created("a"), .changed("a")]),
      ({ try put("y", "a") }, [.changed("a")]),
      ({ chmod("\(path)/a", 0o600) }, [.changed("a")]),
      ({ rename("\(path)/a", "\(path)/ñ") }, [.movedOut("a"), .movedIn("ñ")]),
      ({ try Files.remove("\(path)/ñ") }, [.removed("ñ")]),
      ({ mkdir("\(path)/d", 0o700) }, [.created("d")]),
      ({ try put("z", "d/inside") }, []),
      ({ symlink("/dev/null", "\(path)/mask") }, [.created("mask")]),
      ({ chmod(path, 0o755) }, [.attributes]),
    ]
    for (action, expected) in table {
      events = []
      try action()
      try loop.settle()
      #expect(events == expected)
    }
    withExtendedLifetime(watch) {}
  }

  @Test("an atomic replacement is told by the name that it takes")
  func replacement() throws {
    var events: [DirectoryEvent] = []
    let watch = try loop.directory(directory.path) { events.append($0) }
    try Files.replace(directory.path("row"), with: [1])
    try loop.settle()
    #expect(events.contains(.movedIn("row")))
    withExtendedLifetime(watch) {}
  }

  @Test("two watches of one directory are told alike, and each ends alone")
  func twoWatches() throws {
    var log: [String] = []
    let first = try loop.directory(directory.path) { log.append("first \($0)") }
    let second = try loop.directory("\(directory.path)/.") { log.append("second \($0)") }
    mkdir(directory.path("a"), 0o700)
    try loop.settle()
    #expect(log == ["first created(\"a\")", "second created(\"a\")"])
    first.cancel()
    log = []
    mkdir(directory.path("b"), 0o700)
    try loop.settle()
    #expect(log == ["second created(\"b\")"])
    second.cancel()
    log = []
    mkdir(directory.path("c"), 0o700)
    try loop.settle()
    #expect(log == [])
    // And a new watch after the last one ended works.
    let third = try loop.directory(directory.path) { log.append("third \($0)") }
    mkdir(directory.path("d"), 0o700)
    try loop.settle()
    #expect(log == ["third created(\"d\")"])
    withExtendedLifetime(third) {}
  }

  @Test("a watch that a handler cancels hears no more of the batch")
  func cancelledByHandler() throws {
    var watches: [PathWatch] = []
    var calls = 0
    for _ in 0..<2 {
      watches.append(
        try loop.directory(directory.path) { _ in
          calls += 1
          watches = []
        })
    }
    mkdir(directory.path("a"), 0o700)
    mkdir(directory.path("b"), 0o700)
    try loop.settle()
    #expect(calls == 1)
  }

  @Test("a directory that is removed or renamed is gone, once", arguments: [true, false])
  func gone(isRemoved: Bool) throws {
    let path = try directory.makeDirectory("watched")
    var events: [DirectoryEvent] = []
    let watch = try loop.directory(path) { events.append($0) }
    #expect(!watch.isGone)
    if isRemoved {
      try removeDirectory(path)
    } else {
      _ = try systemCall { rename(path, directory.path("elsewhere")) }
    }
    try loop.settle()
    #expect(events == [.gone])
    #expect(watch.isGone)
    // The path has a directory again: the old watch is over, a new one works.
    try directory.makeDirectory("watched/a")
    try loop.settle()
    #expect(events == [.gone])
    let again = try loop.directory(path) { events.append($0) }
    try removeDirectory("\(path)/a")
    try loop.settle()
    #expect(events == [.gone, .removed("a")])
    withExtendedLifetime(again) {}
  }

  @Test("what is no directory can't be watched as one")
  func failures() throws {
    try directory.write("", to: "file")
    #expect(throws: Errno.notDirectory) {
      try loop.directory(directory.path("file")) { _ in }
    }
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try loop.directory(directory.path("missing")) { _ in }
    }
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try loop.file(directory.path("missing")) {}
    }
  }

  @Test("a file tells of writes and of its status, several at once as one")
  func file() throws {
    try put("1", "file")
    try put("1", "neighbour")
    var calls = 0
    let watch = try loop.file(directory.path("file")) { calls += 1 }
    try put("22", "file")
    try put("333", "file")
    try loop.settle()
    #expect(calls == 1)
    chmod(directory.path("file"), 0o600)
    try loop.settle()
    #expect(calls == 2)
    try put("22", "neighbour")
    try loop.settle()
    #expect(calls == 2)
    #expect(!watch.isGone)
  }

  @Test("a file that is replaced, renamed or removed is gone")
  func fileGone() throws {
    let table: [(String) throws -> Void] = [
      { try Files.replace($0, with: [1]) }, { rename($0, $0 + ".old") }, { try Files.remove($0) },
    ]
    for action in table {
      try put("1", "file")
      var calls = 0
      let watch = try loop.file(directory.path("file")) { calls += 1 }
      try action(directory.path("file"))
      try loop.turn { watch.isGone }
      #expect(calls >= 1)
    }
  }

  @Test("other programs' writes to kernel files are told")
  func kernelFile() throws {
    var calls = 0
    let path = "/proc/self/comm"
    let own = try Files.read(path, limit: 64)
    let watch = try loop.file(path) { calls += 1 }
    try Files.write(own, into: path)
    try loop.turn { calls > 0 }
    withExtendedLifetime(watch) {}
  }

  @Test("when more happens than the kernel keeps, everyone is told to look again")
  func overflow() throws {
    let limit = try #require(
      Int(
        String(
          decoding: try Files.read("/proc/sys/fs/inotify/max_queued_events", limit: 64).dropLast(),
          as: UTF8.self)))
    var overflows = 0
    var fileCalls = 0
    try put("", "file")
    let other = try directory.makeDirectory("other")
    let watches = [
      try loop.directory(directory.path) { if $0 == .overflow { overflows += 1 } },
      try loop.directory(other) { if $0 == .overflow { overflows += 1 } },
      try loop.file(directory.path("file")) { fileCalls += 1 },
    ]
    let path = directory.path("x")
    for _ in 0...(limit / 2) {
      _ = try systemCall { mkdir(path, 0o700) }
      try removeDirectory(path)
    }
    try loop.turn { overflows == 2 && fileCalls == 1 }
    withExtendedLifetime(watches) {}
  }
}
