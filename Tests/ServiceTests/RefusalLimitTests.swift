// SPDX-License-Identifier: MIT

import Testing

@testable import Service

@Suite("Refusals in the log")
struct RefusalLimitTests {
  @Test("are some for each user and minute, and the rest is counted")
  func limit() {
    var limit = RefusalLimit()
    let verdicts = (0..<100).map { _ in limit.count(1000, at: .seconds(1)) }
    #expect(verdicts.prefix(20).allSatisfy { $0 == .log })
    #expect(verdicts.dropFirst(20).allSatisfy { $0 == .leave })
    #expect(limit.count(1001, at: .seconds(2)) == .log)
    #expect(limit.count(1000, at: .seconds(60)) == .leave)
    #expect(limit.count(1000, at: .seconds(61)) == .logAfter(81))
    #expect(limit.count(1000, at: .seconds(62)) == .log)
  }
}
