// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// What the daemon tells the service manager that started it; here, this test.
@MainActor
@Suite("The daemon as a service", .serialized)
struct DaemonServiceTests {
  let stage: Stage
  let manager: DatagramReceiver

  init() throws {
    stage = try Stage(.session, ["lamp.row": RowText.stored()])
    manager = try DatagramReceiver(stage.directory.path("notify"))
  }

  private func launch(_ more: [String: String] = [:]) throws {
    try stage.launch(environment: ["NOTIFY_SOCKET": manager.address].merging(more) { $1 })
  }

  @Test("it is ready once its name is owned and its rows are there")
  func ready() throws {
    let peer = try Peer(stage)
    try launch()
    #expect(try manager.next() == "READY=1\nSTATUS=1 row")
    #expect(try peer.state("lamp") == "off")
  }

  @Test("its status counts the rows, and those that are not available, as they come and go")
  func status() throws {
    let knob = stage.directory.path("knob")
    try stage.write("knob.row", RowText.file(knob))
    try launch()
    #expect(try manager.next() == "READY=1\nSTATUS=2 rows, 1 unavailable")
    try stage.directory.write("1\n", to: "knob")
    #expect(try manager.next() == "STATUS=2 rows")
    // A flip is no news.
    try Peer(stage).setOn("knob", false)
    try stage.remove("lamp.row")
    #expect(try manager.next() == "STATUS=1 row")
    try Files.remove(knob)
    #expect(try manager.next() == "STATUS=1 row, 1 unavailable")
    try stage.write("lamp.row", RowText.stored())
    #expect(try manager.next() == "STATUS=2 rows, 1 unavailable")
  }

  @Test("its status counts the mistakes in row files")
  func mistakes() throws {
    try stage.write("fan.row", "[Row]\n")
    try launch()
    #expect(try manager.next() == "READY=1\nSTATUS=1 row, 2 mistakes in row files")
    try stage.write("fan.row", "[Row]\nTitle=Fan\n")
    #expect(try manager.next() == "STATUS=1 row, 1 mistake in row files")
    try stage.write("fan.row", RowText.stored("Fan"))
    #expect(try manager.next() == "STATUS=2 rows")
  }

  @Test("it says that it leaves when it is asked to")
  func stopping() throws {
    try launch()
    _ = try manager.next()
    try stage.stop()
    #expect(try manager.all() == ["STOPPING=1"])
  }

  @Test("it says that it leaves when it has lost the bus, and why")
  func lostBus() throws {
    try launch()
    _ = try manager.next()
    try stage.bus.stop()
    #expect(try manager.next() == "STOPPING=1\nSTATUS=lost the session bus; leaving")
  }

  @Test("it tells its watchdog that it turns")
  func watchdog() throws {
    try launch(["WATCHDOG_USEC": "20000"])
    _ = try manager.next()
    for _ in 0..<3 { #expect(try manager.next() == "WATCHDOG=1") }
  }

  @Test("a service manager that reads nothing keeps nobody on the bus waiting")
  func stuckManager() throws {
    let filler = try DatagramSocket(to: UnixAddress(manager.address))
    #expect(throws: Errno.wouldBlock) { while true { try filler.send([0]) } }
    let peer = try Peer(stage)
    try launch()
    try peer.waitForDaemon()
    #expect(try peer.setOn("lamp", true) == [.boolean(true)])
    var message = "\0"
    while message == "\0" { message = try manager.next() }
    #expect(message == "READY=1\nSTATUS=1 row")
  }

  @Test("programs that it runs can't speak to the service manager in its name")
  func programs() throws {
    let environment = try stage.directory.write("", to: "environment")
    let script = try stage.directory.write(
      "#!/bin/sh\nenv >\(environment).new; mv \(environment).new \(environment)\n", to: "script",
      mode: 0o755)
    let knob = try stage.directory.write("0\n", to: "knob")
    try stage.write("knob.row", RowText.file(knob, "RunOnChange=\(script)"))
    try launch(["WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "1"])
    _ = try manager.next()
    try Files.remove(environment)
    try Peer(stage).setOn("knob", true)
    let text = try FileWatcher.awaitFile(environment)
    #expect(text.contains("TOGGLED_ROW=knob"))
    #expect(!text.contains("NOTIFY_SOCKET") && !text.contains("WATCHDOG"), "\(text)")
  }
}
