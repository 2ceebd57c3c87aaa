// SPDX-License-Identifier: MIT

import Backends
import EventLoop
import Glibc
import Settings
import System
import TestSupport
import Testing

/// A state directory in which somebody else has laid something: nothing is followed, nothing is
/// changed elsewhere, and nothing is believed.
@MainActor
@Suite("a state directory that others had their hands in", .serialized)
struct StateDirectoryTests {
  private let stage: Stage
  private let state: String

  init() throws {
    stage = try Stage()
    state = stage.directory.path("state")
    try stage.directory.makeDirectory("state")
  }

  private init(state: String, _ stage: Stage) throws {
    self.stage = stage
    self.state = stage.directory.path(state)
  }

  private func backend(owners: Set<UInt32>? = nil) throws -> StoredBackend {
    let values = StoredValues(
      directory: state, owners: owners, writer: DurableWriter(loop: stage.loop),
      notice: stage.note)
    return StoredBackend(id: try #require(RowID("lamp")), defaultValue: false, values: values)
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try Files.read(path, limit: 4096), as: UTF8.self)
  }

  /// That the directory is refused, for reading and for writing, with these words.
  private func expectRefusal(_ words: String, owners: Set<UInt32>? = nil) throws {
    guard case .unknown = try stage.read(backend(owners: owners)).state,
      let problem = try stage.read(backend(owners: owners)).problem
    else { throw TestFailure("what is there was believed") }
    #expect(problem.reason == .noAccess)
    #expect(problem.text.contains(state) && problem.text.contains(words), "\(problem.text)")
    guard case .failure(let error) = try stage.write(backend(owners: owners), true) else {
      throw TestFailure("it was written to")
    }
    #expect(error.kind == .backendFailed)
    #expect(error.message.contains(state) && error.message.contains(words), "\(error.message)")
  }

  @Test("is not followed where it is a link, and what that leads to stays as it is")
  func linkedDirectory() throws {
    try stage.directory.write("on\n", to: "elsewhere/lamp")
    try removeState()
    try #require(symlink(stage.directory.path("elsewhere"), state) == 0)
    try expectRefusal("symbolic link")
    #expect(try Files.list(stage.directory.path("elsewhere")) == ["lamp"])
    #expect(try text(stage.directory.path("elsewhere/lamp")) == "on\n")
  }

  @Test("is refused where everyone or a group can write to it", arguments: [0o777, 0o1777, 0o770])
  func writable(_ mode: UInt32) throws {
    try stage.directory.write("on\n", to: "state/lamp")
    try #require(chmod(state, mode) == 0)
    try expectRefusal("chmod go-w")
    #expect(try Files.list(state) == ["lamp"])
    try #require(chmod(state, 0o700) == 0)
    #expect(try stage.read(backend()) == .on)
    #expect(try stage.write(backend(), false).failureKind == nil)
  }

  @Test("is refused where it is another user's", .enabled(if: geteuid() == 0, "needs root"))
  func foreign() throws {
    try stage.directory.write("on\n", to: "state/lamp")
    try #require(chown(state, 65534, 65534) == 0)
    try expectRefusal("\(state) belongs to user 65534; chown root \(state)")
  }

  @Test(
    "is refused by the system's daemon where somebody else could lead its path elsewhere",
    .enabled(if: geteuid() == 0, "needs root"))
  func turnedWay() throws {
    try stage.directory.write("on\n", to: "theirs/state/lamp")
    try removeState()
    let theirs = stage.directory.path("theirs")
    let scene = try StateDirectoryTests(state: "theirs/state", stage)
    try #require(chmod(theirs, 0o777) == 0)
    try scene.expectRefusal("\(theirs) may be written by others", owners: [0])
    try #require(chmod(theirs, 0o755) == 0)
    try #require(chown(theirs, 65534, 65534) == 0)
    try scene.expectRefusal("\(theirs) belongs to user 65534; chown root \(theirs)", owners: [0])
    #expect(try Files.list("\(theirs)/state") == ["lamp"])
    // Nothing is made there either.
    try #require(rename("\(theirs)/state", "\(theirs)/gone") == 0)
    try scene.expectRefusal("\(theirs) belongs", owners: [0])
    #expect(try Files.list(theirs) == ["gone"])
    try #require(rename("\(theirs)/gone", "\(theirs)/state") == 0)
    #expect(try stage.read(scene.backend()) == .on)
    try #require(chown(theirs, 0, 0) == 0)
    #expect(try stage.read(scene.backend(owners: [0])) == .on)
  }

  /// What a name in the directory can be made.
  enum Trap: CaseIterable {
    case link, linkToDirectory, danglingLink, fifo, socket, device, foreign, writable, huge, zeros

    var needsRoot: Bool { self == .device || self == .foreign }
  }

  @Test(
    "has what is no value of ours set aside unread, and the flip after it goes well",
    arguments: Trap.allCases.filter { !$0.needsRoot || geteuid() == 0 })
  func trap(_ trap: Trap) throws {
    let path = "\(state)/lamp"
    let elsewhere = try stage.directory.write("on\n", to: "elsewhere/file")
    switch trap {
    case .link: try #require(symlink(elsewhere, path) == 0)
    case .linkToDirectory: try #require(symlink(stage.directory.path("elsewhere"), path) == 0)
    case .danglingLink: try #require(symlink("/nonexistent/file", path) == 0)
    case .fifo: try #require(mkfifo(path, 0o600) == 0)
    case .socket: try #require(mknod(path, mode_t(0o140600), 0) == 0)
    case .device: try #require(mknod(path, mode_t(0o020600), dev_t(1 << 8 | 5)) == 0)
    case .foreign:
      try stage.directory.write("on\n", to: "state/lamp")
      try #require(chown(path, 65534, 65534) == 0)
    case .writable:
      try stage.directory.write("on\n", to: "state/lamp")
      try #require(chmod(path, 0o666) == 0)
    case .huge:
      try stage.directory.write("", to: "state/lamp")
      try #require(truncate(path, 1 << 40) == 0)
    case .zeros: try stage.directory.write("\0\0\0", to: "state/lamp")
    }
    let reading = try stage.read(backend())
    #expect(reading.state == .unknown && reading.problem?.reason == .unrecognised)
    #expect(reading.problem?.text.contains("\(path).damaged") == true, "\(reading)")
    #expect(try Files.list(state) == ["lamp.damaged"])
    #expect(stage.notices.count == 1, "\(stage.notices)")
    #expect(try stage.write(backend(), true).failureKind == nil)
    #expect(try stage.read(backend()) == .on)
    #expect(try text(path) == "on\n")
    #expect(try text(elsewhere) == "on\n")
  }

  @Test("has a link that comes between reading and writing replaced, not followed")
  func swappedFile() throws {
    let backend = try backend()
    #expect(try stage.read(backend) == .off)
    let elsewhere = try stage.directory.write("precious\n", to: "elsewhere")
    try #require(symlink(elsewhere, "\(state)/lamp") == 0)
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(try text(elsewhere) == "precious\n")
    #expect(try Files.status("\(state)/lamp", followingLinks: false).kind == .regular)
  }

  @Test("that is swapped for a link while a value is on its way has it where it was meant to go")
  func swappedDirectory() throws {
    let other = try stage.directory.makeDirectory("other")
    var result: Result<Void, FlipError>?
    try backend().write(true, for: .nobody) { result = $0 }
    // The value lies in the directory, and waits for the disk.
    try #require(rename(state, stage.directory.path("moved")) == 0)
    try #require(symlink(other, state) == 0)
    try stage.turn("the answer") { result != nil }
    #expect(try Files.list(other) == [])
    #expect(try Files.list(stage.directory.path("moved")) == ["lamp"])
  }

  @Test("with hard links to a value changes none of the others")
  func hardLink() throws {
    let elsewhere = try stage.directory.write("off\n", to: "elsewhere")
    try #require(link(elsewhere, "\(state)/lamp") == 0)
    #expect(try stage.read(backend()) == .off)
    #expect(try stage.write(backend(), true).failureKind == nil)
    #expect(try text(elsewhere) == "off\n")
    #expect(try stage.read(backend()) == .on)
  }

  @Test("that vanishes while values are kept is made anew")
  func vanished() throws {
    #expect(try stage.write(backend(), true).failureKind == nil)
    try removeState()
    #expect(try stage.read(backend()) == .off)
    #expect(try stage.write(backend(), true).failureKind == nil)
    #expect(try stage.read(backend()) == .on)
    #expect(try Files.status(state).permissions == 0o700)
  }

  private func removeState() throws {
    for name in try Files.list(state) { try Files.remove("\(state)/\(name)") }
    try #require(rmdir(state) == 0)
  }
}
