// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import System
import TestSupport
import Testing

@testable import Service

@MainActor
@Suite("What the service manager is told", .serialized)
struct ServiceNotifierTests {
  let loop: EventLoop
  let directory: TemporaryDirectory
  let manager: DatagramReceiver
  /// What the daemon's status is.
  final class Status {
    var text = "2 rows"
    var askedFor = 0
  }
  let status = Status()

  init() throws {
    loop = try EventLoop()
    directory = try TemporaryDirectory()
    manager = try DatagramReceiver(directory.path("notify"))
  }

  private func notifier(_ more: [String: String] = [:]) throws -> ServiceNotifier {
    let variables = ["NOTIFY_SOCKET": manager.address].merging(more) { $1 }
    let notifier = ServiceNotifier(
      environment: { variables[$0] }, loop: loop, log: Log(level: .emergency)
    ) { [status] in
      status.askedFor += 1
      return status.text
    }
    return try #require(notifier)
  }

  @Test("that it is ready, with its status, in one message")
  func ready() throws {
    let notifier = try notifier()
    notifier.ready()
    try loop.turn(atMost: .zero)
    #expect(try manager.all() == ["READY=1\nSTATUS=2 rows"])
  }

  @Test("nothing before it is ready, whatever changes")
  func starting() throws {
    let notifier = try notifier()
    notifier.statusChanged()
    try loop.turn(atMost: .zero)
    #expect(try manager.all() == [])
  }

  @Test("one status a turn, however often it changes, and none when it is what it was")
  func statuses() throws {
    let notifier = try notifier()
    notifier.ready()
    try loop.turn(atMost: .zero)
    let before = status.askedFor
    for count in 3...9 {
      status.text = "\(count) rows"
      notifier.statusChanged()
    }
    try loop.turn(atMost: .zero)
    #expect(status.askedFor == before + 1)
    status.text = "1 row"
    notifier.statusChanged()
    status.text = "9 rows"
    try loop.turn(atMost: .zero)
    #expect(try manager.all() == ["READY=1\nSTATUS=2 rows", "STATUS=9 rows"])
  }

  @Test("at once and once that it stops, and then nothing more")
  func stopping() throws {
    let notifier = try notifier(["WATCHDOG_USEC": "2000"])
    notifier.ready()
    try loop.turn(atMost: .zero)
    _ = try manager.all()
    notifier.stopping("lost the bus")
    #expect(try manager.all() == ["STOPPING=1\nSTATUS=lost the bus"])
    notifier.stopping()
    status.text = "1 row"
    notifier.statusChanged()
    // Five times as long as the watchdog has to be told after.
    var isOver = false
    let timer = loop.after(.milliseconds(10)) { isOver = true }
    while !isOver { try loop.turn(atMost: patience) }
    withExtendedLifetime(timer) {}
    #expect(try manager.all() == [])
  }

  @Test("what is newest by then, once it has room again")
  func noRoom() throws {
    let notifier = try notifier()
    let filler = try DatagramSocket(to: UnixAddress(manager.address))
    #expect(throws: Errno.wouldBlock) { while true { try filler.send([0]) } }
    notifier.ready()
    try loop.turn(atMost: .zero)
    status.text = "3 rows"
    notifier.statusChanged()
    try loop.turn(atMost: .zero)
    #expect(try !manager.all().contains { $0.hasPrefix("READY") })
    try loop.turn(atMost: patience)
    #expect(try manager.all() == ["READY=1\nSTATUS=3 rows"])
    // It is not told a second time, nor watched for room any more.
    try loop.turn(atMost: .zero)
    #expect(try manager.all() == [])
  }

  @Test("nothing where there is none, or one that was not there, and that is no harm")
  func none() throws {
    for variables in [
      [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": directory.path("nowhere")],
      ["NOTIFY_SOCKET": "vsock:2:1"],
    ] {
      let notifier = ServiceNotifier(
        environment: { variables[$0] }, loop: loop, log: Log(level: .emergency), status: { "" })
      #expect(notifier == nil)
    }
  }

  @Test("what comes after it was away for a while")
  func away() throws {
    let before = try DatagramReceiver(directory.path("other"))
    let notifier = try notifier(["NOTIFY_SOCKET": directory.path("other")])
    notifier.ready()
    try loop.turn(atMost: .zero)
    try before.close()
    status.text = "3 rows"
    notifier.statusChanged()
    try loop.turn(atMost: .zero)
    let manager = try DatagramReceiver(directory.path("other"))
    status.text = "4 rows"
    notifier.statusChanged()
    try loop.turn(atMost: .zero)
    #expect(try manager.all() == ["STATUS=4 rows"])
  }

  @Test("again and again that its loop turns, where that is demanded")
  func watchdog() throws {
    let notifier = try notifier(["WATCHDOG_USEC": "20000", "WATCHDOG_PID": "\(getpid())"])
    notifier.ready()
    var told: [String] = []
    while told.count < 5 {
      try loop.turn(atMost: patience)
      told += try manager.all()
    }
    #expect(told.first == "READY=1\nSTATUS=2 rows")
    #expect(told.dropFirst().allSatisfy { $0 == "WATCHDOG=1" })
  }

  @Test(
    "that its loop turns is demanded of one process, in a time that is one",
    arguments: [
      (["WATCHDOG_USEC": "120000000"], 120),
      (["WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "7"], 1),
      (["WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "8"], nil),
      (["WATCHDOG_USEC": "1000000", "WATCHDOG_PID": ""], nil),
      (["WATCHDOG_USEC": "0"], nil),
      (["WATCHDOG_USEC": "-1"], nil),
      (["WATCHDOG_USEC": "18446744073709551615"], nil),
      (["WATCHDOG_USEC": "many"], nil),
      (["WATCHDOG_PID": "7"], nil),
    ] as [([String: String], Int?)])
  func demands(_ variables: [String: String], _ seconds: Int?) {
    let request = WatchdogRequest(environment: { variables[$0] }, processID: 7)
    #expect(request?.interval == seconds.map { .seconds($0) })
  }
}
