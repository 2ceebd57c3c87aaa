// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

@testable import EventLoop

@MainActor
@Suite("A path that is not there yet")
struct AppearanceTests {
  let loop: EventLoop
  let directory: TemporaryDirectory

  init() throws {
    loop = try EventLoop()
    directory = try TemporaryDirectory()
  }

  /// Turns the loop until `condition` holds, or the test's patience ends.
  private func turn(until condition: () -> Bool) throws {
    let deadline = EventLoop.now + patience
    while !condition() {
      try #require(EventLoop.now < deadline, "waited in vain")
      try loop.turn(atMost: deadline - EventLoop.now)
    }
  }

  @Test("its coming is told, through directories that come one after the other")
  func nested() throws {
    let path = directory.path("a/b/file")
    var calls = 0
    var watch = try loop.appearance(of: path) { calls += 1 }
    try directory.makeDirectory("a")
    try turn { calls == 1 }
    watch = try loop.appearance(of: path) { calls += 1 }
    try directory.makeDirectory("a/b")
    try turn { calls == 2 }
    watch = try loop.appearance(of: path) { calls += 1 }
    try directory.write("", to: "a/b/file")
    try turn { calls == 3 }
    watch.cancel()
  }

  @Test("one that is there after all is told in the next turn")
  func present() throws {
    try directory.write("", to: "file")
    var calls = 0
    let watch = try loop.appearance(of: directory.path("file")) { calls += 1 }
    #expect(calls == 0)
    try turn { calls == 1 }
    watch.cancel()
  }

  @Test("other names beside it are not told")
  func others() throws {
    var calls = 0
    let watch = try loop.appearance(of: directory.path("file")) { calls += 1 }
    try directory.write("", to: "other")
    try directory.write("", to: "file")
    try turn { calls > 0 }
    #expect(calls == 1)
    watch.cancel()
  }

  /// What inotify(7) wakes this process for in the directory, as the kernel has it.
  private var mask: UInt32? {
    get throws {
      let inode = String(try Files.status(directory.path).inode, radix: 16)
      for name in try Files.list("/proc/self/fdinfo") {
        // A descriptor of another test's may be closed by now.
        guard let bytes = try? Files.read("/proc/self/fdinfo/\(name)", limit: 65536) else {
          continue
        }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
          let words = line.split(separator: " ")
          guard words.contains("ino:\(inode)") else { continue }
          return words.first { $0.hasPrefix("mask:") }.flatMap {
            UInt32($0.dropFirst(5), radix: 16)
          }
        }
      }
      return nil
    }
  }

  @Test("writes to what is beside it, such as /dev/null, wake nobody")
  func writes() throws {
    let watch = try loop.appearance(of: directory.path("file")) {}
    let bits = try #require(try mask)
    #expect(bits & UInt32(IN_CREATE) != 0)
    #expect(bits & UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB) == 0)
    watch.cancel()
  }
}
