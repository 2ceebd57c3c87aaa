// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

@Suite("Reading files")
struct FilesReadTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("gives the bytes as they are, up to the very limit", arguments: [0, 1, 4096, 70_000])
  func bytes(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let path = directory.path("file")
    try Files.replace(path, with: bytes)
    #expect(try Files.read(path, limit: count) == bytes)
    #expect(try Files.read(path, limit: 1 << 20) == bytes)
    #expect(try Files.read(path, limit: .max - 1) == bytes)
    if count > 0 {
      #expect(throws: ReadError.tooLarge(limit: count - 1)) {
        try Files.read(path, limit: count - 1)
      }
    }
  }

  @Test("works where stat says nothing of the size: procfs and sysfs")
  func kernelFiles() throws {
    #expect(try Files.read("/proc/sys/kernel/ostype", limit: 64) == Array("Linux\n".utf8))
    let sequence = try Files.read("/sys/kernel/uevent_seqnum", limit: 64)
    #expect(Int(String(decoding: sequence.dropLast(), as: UTF8.self)) != nil)
    // Longer than the first piece that is read.
    let maps = try Files.read("/proc/self/smaps", limit: 1 << 24)
    #expect(maps.count > 4096)
    #expect(maps.last == UInt8(ascii: "\n"))
    #expect(throws: ReadError.tooLarge(limit: 4096)) {
      try Files.read("/proc/self/smaps", limit: 4096)
    }
  }

  @Test("refuses what is no regular file, and never waits for it")
  func kinds() throws {
    let fifo = directory.path("fifo")
    try #require(mkfifo(fifo, 0o600) == 0)
    let socket = try UnixSocket(path: directory.path("socket"))
    defer { socket.close() }
    try #require(symlink(fifo, directory.path("link")) == 0)
    let table: [(String, FileKind)] = [
      (directory.path, .directory), (fifo, .fifo), (directory.path("link"), .fifo),
      (directory.path("socket"), .socket), ("/dev/null", .characterDevice),
    ]
    for (path, kind) in table {
      #expect(throws: ReadError.notRegular(kind)) { try Files.read(path, limit: 10) }
    }
  }

  @Test("a path that leads nowhere is missing")
  func missing() throws {
    try directory.write("", to: "file")
    try #require(symlink("nowhere", directory.path("dangling")) == 0)
    for name in ["gone", "gone/deeper", "file/deeper", "dangling"] {
      #expect(throws: ReadError.missing) { try Files.read(directory.path(name), limit: 10) }
    }
    #expect(throws: ReadError.missing) { try Files.read("", limit: 10) }
  }

  @Test("a link that leads to itself is told as the kernel tells it")
  func loop() throws {
    try #require(symlink("loop", directory.path("loop")) == 0)
    #expect(throws: ReadError.failed(.tooManySymbolicLinks)) {
      try Files.read(directory.path("loop"), limit: 10)
    }
  }

  @Test("the errors say what is wrong")
  func texts() {
    let table: [(ReadError, String)] = [
      (.missing, "there is no such file"),
      (.notRegular(.fifo), "it is a FIFO, expected a regular file"),
      (.tooLarge(limit: 65536), "it is larger than 65536 bytes"),
      (.failed(.permissionDenied), "Permission denied"),
    ]
    for (error, text) in table { #expect("\(error)" == text) }
  }
}

/// A listening socket, for its file.
private struct UnixSocket {
  private let descriptor: Int32

  init(path: String) throws {
    descriptor = try systemCall { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    _ = try withUnsafePointer(to: address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
        try systemCall { bind(descriptor, rebound, size) }
      }
    }
  }

  func close() { Glibc.close(descriptor) }
}
