// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import TestSupport
import Testing

@MainActor
@Suite("Calls that wait for their turn")
struct CallTurnsTests {
  @Test("a caller with thousands of calls keeps no other waiting, and has them in their order")
  func turns() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    var order: [String] = []
    let other = try Connection(.address(fixture.bus.address))
    try other.attach(to: fixture.loop)
    var left = 2001
    func send(_ connection: Connection, _ label: String) {
      connection.call(
        destination: fixture.service.uniqueName, path: "/nowhere",
        interface: "org.example.Nothing", member: "Ask"
      ) { _ in
        order.append(label)
        left -= 1
      }
    }
    for number in 0..<2000 { send(fixture.client, "\(number)") }
    fixture.client.flush()
    send(other, "other")
    other.flush()
    try fixture.wait(for: "all answers") { left == 0 }
    #expect(order.filter { $0 != "other" } == (0..<2000).map { "\($0)" })
    let place = try #require(order.firstIndex(of: "other"))
    #expect(place < 1900, "in the order of their coming it would be 2000")
    withExtendedLifetime(tree) {}
  }
}
