// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

@Suite(
  "Who else may change what a path leads to",
  .enabled(if: geteuid() == 0, "needs root, to give files away"))
struct FilesCustodyTests {
  private static let stranger: UInt32 = 65534

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("1\n", to: "safe/deep/knob")
  }

  private func weakness(_ name: String) throws -> Weakness.Kind? {
    try Files.weakness(of: directory.path(name), owners: [0])?.kind
  }

  private func give(_ name: String) {
    lchown(directory.path(name), Self.stranger, Self.stranger)
  }

  @Test("nobody, where all of it is root's, though it lies below /tmp")
  func sound() throws {
    #expect(try weakness("safe/deep/knob") == nil)
    #expect(try weakness("safe/deep") == nil)
    #expect(try weakness("safe//./deep/../deep/knob") == nil)
    #expect(try Files.weakness(of: "/proc/sys/net/ipv4/ip_forward", owners: [0]) == nil)
    #expect(try Files.weakness(of: "/dev/null", owners: [0]) == nil)
    #expect(try Files.weakness(of: "/", owners: [0]) == nil)
  }

  @Test("the owner of it, and of each directory above it", arguments: ["", "/deep", "/deep/knob"])
  func owner(part: String) throws {
    give("safe\(part)")
    let found = try Files.weakness(of: directory.path("safe/deep/knob"), owners: [0])
    #expect(found?.path == directory.path("safe\(part)"))
    #expect(found?.kind == .owner(Self.stranger))
    let both: Set<UInt32> = [0, Self.stranger]
    #expect(try Files.weakness(of: directory.path("safe/deep/knob"), owners: both) == nil)
  }

  @Test(
    "its group and everyone, by its permissions and those of each directory above it",
    arguments: [("", 0o775), ("/deep", 0o757), ("/deep/knob", 0o664), ("/deep/knob", 0o602)])
  func mode(part: String, mode: UInt32) throws {
    chmod(directory.path("safe\(part)"), mode)
    let found = try Files.weakness(of: directory.path("safe/deep/knob"), owners: [0])
    #expect(found?.path == directory.path("safe\(part)"))
    #expect(found?.kind == .mode(mode))
  }

  @Test("anyone, where it lies among everyone's files: it may be a hard link")
  func shared() throws {
    try directory.makeDirectory("shared")
    chmod(directory.path("shared"), 0o1777)
    try directory.write("1\n", to: "shared/knob")
    #expect(link(directory.path("safe/deep/knob"), directory.path("shared/hard")) == 0)
    #expect(symlink(directory.path("safe/deep/knob"), directory.path("shared/soft")) == 0)
    for name in ["knob", "hard", "soft"] {
      #expect(try weakness("shared/\(name)") == .place)
    }
    // Nobody can put a directory in another's place there; but the files of it are everyone's.
    try directory.write("1\n", to: "shared/own/knob")
    #expect(try weakness("shared/own/knob") == nil)
    #expect(try weakness("shared") == .mode(0o1777))
  }

  @Test("who may turn a link on the way, or change where it leads")
  func links() throws {
    try directory.write("1\n", to: "theirs/knob")
    #expect(symlink("deep/knob", directory.path("safe/sound")) == 0)
    #expect(symlink("../theirs/knob", directory.path("safe/out")) == 0)
    #expect(symlink(directory.path("theirs"), directory.path("safe/far")) == 0)
    #expect(symlink("deep/knob", directory.path("safe/turned")) == 0)
    #expect(try weakness("safe/out") == nil)
    give("theirs")
    give("safe/turned")
    #expect(try weakness("safe/sound") == nil)
    #expect(try weakness("safe/out") == .owner(Self.stranger))
    #expect(try weakness("safe/far/knob") == .owner(Self.stranger))
    #expect(try weakness("safe/turned") == .owner(Self.stranger))
    // A way that leads out of a link's target goes on from there, as the kernel does.
    #expect(symlink("deep", directory.path("safe/link")) == 0)
    #expect(try weakness("safe/link/../deep/knob") == nil)
    #expect(symlink(directory.path("theirs"), directory.path("safe/deep/jump")) == 0)
    #expect(try weakness("safe/deep/jump/../safe/deep/knob") == .owner(Self.stranger))
  }

  @Test("a way that goes nowhere throws what the kernel says")
  func nowhere() throws {
    #expect(symlink("loop", directory.path("loop")) == 0)
    #expect(symlink("gone", directory.path("dangling")) == 0)
    let cases: [(String, Errno)] = [
      ("gone", .noSuchFileOrDirectory), ("dangling", .noSuchFileOrDirectory),
      ("safe/deep/knob/below", .notDirectory), ("loop", .tooManySymbolicLinks),
    ]
    for (name, error) in cases {
      #expect(throws: error) { try Files.weakness(of: directory.path(name), owners: [0]) }
    }
  }

  @Test("what is said names the thing, and what to do")
  func words() throws {
    let path = directory.path("safe")
    give("safe")
    #expect(
      try Files.weakness(of: path, owners: [0])?.description
        == "\(path) belongs to user 65534; chown root \(path)")
    chown(path, 0, 0)
    chmod(path, 0o777)
    #expect(
      try Files.weakness(of: path, owners: [0])?.description
        == "\(path) may be written by others (mode 0777); chmod go-w \(path)")
  }
}
