// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

@Suite("Replacing files")
struct FilesReplaceTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("puts new bytes and the exact mode in place, and leaves nothing else behind")
  func replacing() throws {
    let path = directory.path("state")
    try Files.replace(path, with: Array("one".utf8), mode: 0o600)
    #expect(try Files.status(path).permissions == 0o600)
    // More than a usual umask lets through.
    try Files.replace(path, with: Array("two".utf8), mode: 0o666)
    #expect(try Files.status(path).permissions == 0o666)
    #expect(try Files.read(path, limit: 10) == Array("two".utf8))
    #expect(try Files.list(directory.path) == ["state"])
  }

  @Test("a failure leaves the old file, and no other")
  func failing() throws {
    // A directory with something in it can't be renamed over.
    try directory.write("kept", to: "state/inside")
    #expect(throws: Errno.isDirectory) {
      try Files.replace(directory.path("state"), with: [1])
    }
    #expect(try Files.list(directory.path) == ["state"])
    #expect(try Files.list(directory.path("state")) == ["inside"])
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try Files.replace(directory.path("gone/state"), with: [1])
    }
    #expect(throws: Errno.isDirectory) { try Files.replace("/", with: [1]) }
  }

  @Test("a crash's leftover is never the value, and its owner can clear it away")
  func leftovers() throws {
    let path = directory.path("state")
    try Files.replace(path, with: Array("old".utf8))
    try directory.write("half", to: ".state.0123456789abcdef.tmp")
    try directory.write("half", to: ".other.name.fedcba9876543210.tmp")
    let others = [".0123456789abcdef.tmp", ".state.0123.tmp", ".state.tmp", "state.bak"]
    for name in others { try directory.write("", to: name) }
    #expect(try Files.read(path, limit: 10) == Array("old".utf8))
    try Replacement.removeLeftovers(in: Directory(directory.path))
    #expect(try Files.list(directory.path) == (others + ["state"]).sorted())
    #expect(try Files.read(path, limit: 10) == Array("old".utf8))
  }

  @Test("a replacement that is dropped removes itself")
  func dropping() throws {
    do {
      let replacement = try Replacement.prepare(
        "state", in: Directory(directory.path), with: [1], mode: 0o600)
      #expect(try Files.list(directory.path) == [replacement.temporaryName])
    }
    #expect(try Files.list(directory.path) == [])
  }

  @Test("a writer that is killed leaves the file whole")
  func killed() async throws {
    let path = directory.path("state")
    await #expect(processExitsWith: .signal(SIGALRM)) { [path = path as String] in
      // However soon the kernel ends the process, there is a whole file before.
      try Files.replace(path, with: [UInt8](repeating: .max, count: 20_000))
      // It does so somewhere in the middle of this.
      var timer = itimerval()
      timer.it_value.tv_usec = 50_000
      setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
      var byte: UInt8 = 0
      while true {
        try Files.replace(path, with: [UInt8](repeating: byte, count: 20_000))
        byte &+= 1
      }
    }
    let bytes = try Files.read(path, limit: 1 << 20)
    #expect(bytes.count == 20_000)
    #expect(Set(bytes).count == 1)
  }

  @Test("writing into a file keeps the file and cuts off what was in it")
  func writing() throws {
    let path = try directory.write("a longer text", to: "file", mode: 0o600)
    let before = try Files.status(path)
    try Files.write(Array("short".utf8), into: path)
    #expect(try Files.read(path, limit: 64) == Array("short".utf8))
    #expect(try Files.status(path).inode == before.inode)
    #expect(throws: ReadError.missing) { try Files.write([1], into: directory.path("gone")) }
    #expect(try Files.list(directory.path) == ["file"])
    #expect(throws: ReadError.notRegular(.directory)) { try Files.write([1], into: directory.path) }
    #expect(throws: ReadError.notRegular(.characterDevice)) {
      try Files.write([1], into: "/dev/null")
    }
  }
}
