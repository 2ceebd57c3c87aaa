// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

@Suite("Paths and directories")
struct FilesPathTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test(
    "a path is cut at its last slash",
    arguments: [
      ("a", ".", "a"), ("/a", "/", "a"), ("a/b", "a", "b"), ("/a/b/", "/a", "b"),
      ("/a//b", "/a", "b"), ("//a", "/", "a"), ("", ".", ""),
    ])
  func parts(path: String, parent: String, name: String) {
    #expect(PathParts(path).directory == parent)
    #expect(PathParts(path).name == name)
  }

  @Test("lists names in byte order, hidden ones too, and none that no String can name")
  func listing() throws {
    for name in ["b.row", "a.row", ".hidden", "Z.row", "ä.row", "a.row.d"] {
      try directory.write("", to: name)
    }
    var invalid = Array(directory.path("x").utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]
    let raw = open(&invalid, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(raw >= 0)
    close(raw)
    let names = try Files.list(directory.path)
    #expect(names == [".hidden", "Z.row", "a.row", "a.row.d", "b.row", "ä.row"])
  }

  @Test("listing what is no directory throws")
  func listingFailures() throws {
    try directory.write("", to: "file")
    #expect(throws: Errno.noSuchFileOrDirectory) { try Files.list(directory.path("gone")) }
    #expect(throws: Errno.notDirectory) { try Files.list(directory.path("file")) }
    #expect(try Files.list(directory.makeDirectory("empty")) == [])
  }

  @Test("an empty file and a link to /dev/null are masks, nothing else is")
  func masks() throws {
    try directory.write("", to: "empty")
    try directory.write("\n", to: "newline")
    try directory.makeDirectory("directory")
    try #require(symlink("/dev/null", directory.path("null")) == 0)
    try #require(symlink("null", directory.path("null2")) == 0)
    try #require(symlink("/dev/zero", directory.path("zero")) == 0)
    try #require(symlink("gone", directory.path("dangling")) == 0)
    try #require(mkfifo(directory.path("fifo"), 0o600) == 0)
    let masks = try Files.list(directory.path).filter { Files.isMask(directory.path($0)) }
    #expect(masks == ["empty", "null", "null2"])
    #expect(!Files.isMask(directory.path("gone")))
  }

  @Test("finds a program as a shell does")
  func executables() throws {
    try directory.write("", to: "one/tool", mode: 0o644)
    let second = try directory.write("", to: "two/tool", mode: 0o755)
    try directory.makeDirectory("one/directory")
    let searchPath = "\(directory.path("gone")):\(directory.path("one")):\(directory.path("two"))"
    #expect(Files.executable("tool", in: searchPath) == second)
    #expect(Files.executable("directory", in: searchPath) == nil)
    #expect(Files.executable("other", in: searchPath) == nil)
    #expect(Files.executable("", in: searchPath) == nil)
    #expect(Files.executable(second, in: "") == second)
    #expect(Files.executable(directory.path("one/tool"), in: "") == nil)
  }

  @Test("makes the directories that are missing, with their mode")
  func directories() throws {
    let path = directory.path("a/b/c")
    try Files.makeDirectories(path, mode: 0o700)
    #expect(try Files.status(path).kind == .directory)
    #expect(try Files.status(directory.path("a")).permissions == 0o700)
    try Files.makeDirectories(path, mode: 0o755)
    #expect(try Files.status(path).permissions == 0o700)
    try Files.makeDirectories(directory.path("d/e/"))
    #expect(try Files.status(directory.path("d/e")).kind == .directory)
  }

  @Test("makes no directory where a file is")
  func blockedDirectories() throws {
    try directory.write("", to: "file")
    #expect(throws: Errno.notDirectory) { try Files.makeDirectories(directory.path("file")) }
    #expect(throws: Errno.notDirectory) { try Files.makeDirectories(directory.path("file/a")) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try Files.makeDirectories("") }
  }

  @Test("status follows links only when asked to")
  func status() throws {
    try directory.write("12345", to: "file", mode: 0o640)
    try #require(symlink("file", directory.path("link")) == 0)
    let followed = try Files.status(directory.path("link"))
    #expect(followed == (try Files.status(directory.path("file"))))
    #expect(followed.size == 5)
    #expect(followed.permissions == 0o640)
    #expect(followed.modified > 1_600_000_000_000_000_000)
    #expect(
      try Files.status(directory.path("link"), followingLinks: false).kind == .symbolicLink)
  }
}
