// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

@Suite("Private buses")
struct PrivateBusTests {
  private func names(on bus: PrivateBus) throws -> Program.Outcome {
    try Program.run([
      "dbus-send", "--bus=\(bus.address)", "--print-reply", "--dest=org.freedesktop.DBus",
      "/org/freedesktop/DBus", "org.freedesktop.DBus.ListActivatableNames",
    ])
  }

  @Test("a client reaches it, also at the same address after a restart")
  func restart() throws {
    let bus = try PrivateBus()
    let first = bus.address
    #expect(try names(on: bus).status.isSuccess)
    try bus.stop()
    #expect(try !names(on: bus).status.isSuccess)
    try bus.restart()
    #expect(bus.address == first)
    #expect(try names(on: bus).status.isSuccess)
  }

  @Test("a service that was added is activated by a call, with the environment given")
  func activation() throws {
    let bus = try PrivateBus(.system, environment: ["MARK": "here"])
    let mark = bus.directory.path("mark")
    let script = try bus.directory.write(
      "#!/bin/sh\necho $MARK >\(mark)\nexit 1\n", to: "service.sh", mode: 0o755)
    try bus.addService("org.example.Service", command: script)
    #expect(try names(on: bus).output.contains("org.example.Service"))
    let outcome = try Program.run([
      "dbus-send", "--bus=\(bus.address)", "--print-reply", "--dest=org.example.Service", "/",
      "org.example.Member",
    ])
    #expect(outcome.error.contains("org.freedesktop.DBus.Error.Spawn.ChildExited"))
    #expect(try Files.read(mark, limit: 64) == Array("here\n".utf8))
  }

  @Test("two at once are apart, and each goes with its directory")
  func apart() throws {
    let kept = try PrivateBus()
    var directory = ""
    do {
      let dropped = try PrivateBus()
      directory = dropped.directory.path
      #expect(dropped.address != kept.address)
    }
    #expect(throws: Errno.noSuchFileOrDirectory) { try Files.status(directory) }
    #expect(try names(on: kept).status.isSuccess)
  }
}
