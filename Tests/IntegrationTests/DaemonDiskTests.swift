// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// Flips of a value that is kept, on disks that are full, read-only, broken or gone. Each fails in
/// words, leaves the value before on the bus, on the disk and for the next daemon, and the flip
/// after the trouble goes well.
@MainActor
@Suite("a disk in trouble", .serialized)
struct DaemonDiskTests {
  private func value(_ path: String) -> String {
    (try? Files.read(path, limit: 64)).map { String(decoding: $0, as: UTF8.self) } ?? "none"
  }

  /// A row that is on, its flip to off in the trouble, and what comes after.
  ///
  /// - Parameters:
  ///   - state: where the value is.
  ///   - error: what the flip is to fail with.
  private func sufferOff(
    _ stage: Stage, state: String, error words: String, restart: Bool = true,
    _ trouble: () throws -> Void, _ end: () throws -> Void
  ) throws {
    let peer = try Peer(stage)
    #expect(try peer.setOn("lamp", true) == [.boolean(true)])
    try trouble()
    for _ in 0..<2 {
      let error = try peer.error(of: peer.sendSetOn("lamp", false))
      #expect(error.name == "org.toggled.Error.BackendFailed")
      #expect(error.message.contains("lamp: \(words)"), "\(error.message)")
      #expect(try peer.state("lamp") == "on")
      #expect(value("\(state)/lamp") == "on\n")
    }
    try end()
    if restart {
      try stage.stop(SIGKILL)
      try stage.start(["--state", state])
      let next = try Peer(stage)
      #expect(try next.state("lamp") == "on")
      #expect(try next.setOn("lamp", false) == [.boolean(true)])
    } else {
      #expect(try peer.setOn("lamp", false) == [.boolean(true)])
    }
    #expect(value("\(state)/lamp") == "off\n")
    #expect(try Files.list(state) == ["lamp"])
  }

  @Test(
    "an I/O error fails the flip and keeps the value",
    .needs(FaultyDirectory.obstacle),
    arguments: [
      FaultyDirectory.Step.create, .write, .fsync, .rename, .fsyncdir,
    ])
  func ioError(_ step: FaultyDirectory.Step) throws {
    let disk = try FaultyDirectory()
    let stage = try Stage(.session, ["lamp.row": RowText.stored()])
    try stage.start(["--state", disk.path])
    try sufferOff(
      stage, state: disk.path, error: "Input/output error",
      { try disk.fail(step, Errno(rawValue: EIO)) }, { try disk.fail(step, nil) })
  }

  @Test(
    "a disk that is full, or a quota that is, at any step fails the flip and keeps the value",
    .needs(FaultyDirectory.obstacle),
    arguments: [
      (FaultyDirectory.Step.create, EDQUOT, "Disk quota exceeded"),
      (.write, EDQUOT, "Disk quota exceeded"), (.fsync, ENOSPC, "No space left on device"),
      (.rename, ENOSPC, "No space left on device"),
    ])
  func quota(_ step: FaultyDirectory.Step, _ error: Int32, _ words: String) throws {
    let disk = try FaultyDirectory()
    let stage = try Stage(.session, ["lamp.row": RowText.stored()])
    try stage.start(["--state", disk.path])
    try sufferOff(
      stage, state: disk.path, error: words,
      { try disk.fail(step, Errno(rawValue: error)) }, { try disk.fail(step, nil) })
  }

  @Test(
    "a value that can't be read is unknown, says why, and is read again once it can be",
    .needs(FaultyDirectory.obstacle))
  func unreadable() throws {
    let disk = try FaultyDirectory()
    let stage = try Stage(.session, ["lamp.row": RowText.stored()])
    try stage.start(["--state", disk.path])
    let peer = try Peer(stage)
    try peer.setOn("lamp", true)
    try disk.fail(.read, Errno(rawValue: EIO))
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    #expect(try peer.state("lamp") == "unknown (failed)")
    #expect(try peer.row("lamp", "IsOn") == "true")
    #expect(try peer.row("lamp", "ReasonText").contains("Input/output error"))
    #expect(try Files.list(disk.path) == ["lamp"])
    try disk.fail(.read, nil)
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    #expect(try peer.state("lamp") == "on")
  }

  /// Runs the daemon with a small disk of its own for the state; its path from here.
  private func startOnSmallDisk(_ stage: Stage) throws -> String {
    try stage.directory.makeDirectory("state")
    let script = "mount -t tmpfs -o size=64k,mode=700 tmpfs \"$0\" && exec \"$@\""
    let wrapper = [
      "unshare", "--mount", "--propagation", "private", "sh", "-c", script, stage.state,
    ]
    let daemon = try stage.launch(within: wrapper)
    try daemon.waitForLine(containing: "rows on the session bus", on: .error)
    return "/proc/\(daemon.processID)/root\(stage.state)"
  }

  nonisolated private static let canMount: Bool = {
    let script = "mount -t tmpfs tmpfs /mnt"
    let outcome = try? Program.run(
      ["unshare", "--mount", "--propagation", "private", "sh", "-c", script])
    return outcome?.status.isSuccess == true
  }()

  @Test(
    "a full file system fails the flip and keeps the value",
    .enabled(if: canMount, "needs root and mount namespaces"))
  func full() throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored()])
    let state = try startOnSmallDisk(stage)
    try sufferOff(
      stage, state: state, error: "No space left on device", restart: false,
      {
        let outcome = try Program.run(
          ["dd", "if=/dev/zero", "of=\(state)/other", "bs=4096", "status=none"])
        #expect(outcome.error.contains("No space left"))
      },
      { try Files.remove("\(state)/other") })
  }

  @Test(
    "a file system that became read-only fails the flip and keeps the value",
    .enabled(if: canMount, "needs root and mount namespaces"))
  func readOnly() throws {
    let stage = try Stage(.session, ["lamp.row": RowText.stored()])
    let state = try startOnSmallDisk(stage)
    let daemon = try #require(stage.daemon)
    func remount(_ mode: String) throws {
      let outcome = try Program.run(
        [
          "nsenter", "--mount", "--target", "\(daemon.processID)", "--", "mount", "-o",
          "remount,\(mode)", stage.state,
        ])
      #expect(outcome.status.isSuccess, "\(outcome.error)")
    }
    try sufferOff(
      stage, state: state, error: "Read-only file system", restart: false,
      { try remount("ro") }, { try remount("rw") })
  }
}
