// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import System
import Testing

/// Signals are sent to this very thread, and no test suspends between blocking one and reading it,
/// so it does not matter which thread the test runner gave us.
@MainActor
@Suite("Signals")
struct SignalTests {
  @Test("come through the loop, one call each")
  func signals() throws {
    var old = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &old)
    defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
    let loop = try EventLoop()
    var seen: [Int32] = []
    let watch = try loop.signals([SIGUSR1, SIGUSR2]) { seen.append($0) }
    try loop.settle()
    #expect(seen.isEmpty)
    pthread_kill(pthread_self(), SIGUSR1)
    pthread_kill(pthread_self(), SIGUSR2)
    try loop.turn { seen.count == 2 }
    #expect(seen == [SIGUSR1, SIGUSR2])
    watch.cancel()
    pthread_kill(pthread_self(), SIGUSR1)
    try loop.settle()
    #expect(seen.count == 2)
    // It stays blocked and pending: taken here so that it does not meet the next test.
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGUSR1)
    var taken: Int32 = 0
    #expect(sigwait(&set, &taken) == 0)
    #expect(taken == SIGUSR1)
  }

  @Test("a number that is no signal is refused")
  func invalid() throws {
    let loop = try EventLoop()
    #expect(throws: Errno.invalidArgument) { try loop.signals([0]) { _ in } }
    #expect(throws: Errno.invalidArgument) { try loop.signals([1000]) { _ in } }
  }
}
