// SPDX-License-Identifier: MIT

import Glibc
import System
import Testing

@testable import EventLoop

@MainActor
@Suite("Children of the loop")
struct ChildTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop()
  }

  private func start(
    _ script: String, _ handler: @escaping (System.ExitStatus) -> Void
  ) throws -> ChildWatch {
    let process = try ChildProcess.spawn(
      arguments: ["sh", "-c", script], group: .own, output: .null, error: .null)
    return try loop.child(process, handler)
  }

  @Test("are reaped and told of")
  func ending() throws {
    var ends: [System.ExitStatus] = []
    let watches = [
      try start("exit 4") { ends.append($0) },
      try start("kill -s KILL $$") { ends.append($0) },
    ]
    try loop.turn { ends.count == 2 }
    #expect(Set(ends) == [.exited(4), .signalled(SIGKILL)])
    #expect(watches.allSatisfy { !$0.isRunning })
    #expect(loop.children.isEmpty)
    for watch in watches {
      #expect(throws: Errno.noSuchProcess) { try watch.signal(SIGTERM) }
      #expect(throws: Errno.noSuchProcess) { try watch.signalGroup(SIGTERM) }
      // Nothing is left to wait for.
      #expect(waitpid(watch.processID, nil, WNOHANG) == -1)
    }
  }

  @Test("can be signalled, alone and with what they started")
  func signalling() throws {
    var ends: [System.ExitStatus] = []
    let one = try start("exec sleep 600") { ends.append($0) }
    try one.signal(SIGTERM)
    try loop.turn { ends.count == 1 }
    let group = try start("sleep 600 & wait") { ends.append($0) }
    // A shell's background commands ignore SIGINT, so that would leave the sleep behind.
    try group.signalGroup(SIGTERM)
    try loop.turn { ends.count == 2 }
    #expect(ends == [.signalled(SIGTERM), .signalled(SIGTERM)])
  }

  @Test("are reaped even when nobody wants to know any more")
  func dropped() throws {
    var ends = 0
    do {
      _ = try start("exit 0") { _ in ends += 1 }
      let cancelled = try start("exit 0") { _ in ends += 1 }
      cancelled.cancel()
    }
    #expect(loop.children.count == 2)
    try loop.turn { loop.children.isEmpty }
    #expect(ends == 0)
  }
}
