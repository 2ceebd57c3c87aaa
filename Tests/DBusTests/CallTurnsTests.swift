// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import Glibc
import System
import TestSupport
import Testing

@MainActor
@Suite("Calls that wait for their turn")
struct CallTurnsTests {
  /// Whose calls came, in the order they were handled in, each with its number.
  @MainActor private final class Desk {
    var calls: [(caller: BusName?, number: Int32)] = []

    static let table = InterfaceTable<Desk>(
      "org.example.Desk1",
      methods: [
        .deferred("Ask", in: ["number"]) { (desk, invocation, number: Int32) in
          desk.calls.append((invocation.sender, number))
          invocation.reply()
        }
      ])
  }

  @Test("a caller with thousands of calls keeps no other waiting, and has them in their order")
  func turns() throws {
    let fixture = try Fixture()
    let service = try Connection(.address(fixture.bus.address))
    let tree = ObjectTree(service)
    let desk = Desk()
    tree.export(at: "/desk", Desk.table.bound(to: desk))
    let flooding = fixture.client
    let other = try Connection(.address(fixture.bus.address))
    for number in 0..<2000 { try ask(service, Int32(number), on: flooding) }
    // The bus answers in order: once it has, the calls wait in the service's socket, and once it
    // has answered the service they are all there before the first is handled.
    try settle(flooding)
    try ask(service, 2000, on: other)
    try settle(other)
    try settle(service)
    try service.attach(to: fixture.loop)
    try fixture.wait(for: "all calls") { desk.calls.count == 2001 }
    #expect(desk.calls[1].caller == other.uniqueName, "in the order of their coming it is the last")
    let rest = desk.calls.filter { $0.caller == flooding.uniqueName }
    #expect(rest.map(\.number) == Array(0..<2000))
    withExtendedLifetime(tree) {}
  }

  @Test("a call that brings descriptors keeps none of them, and is refused when its turn comes")
  func descriptors() throws {
    let fixture = try Fixture()
    let service = try Connection(.address(fixture.bus.address))
    let tree = ObjectTree(service)
    let desk = Desk()
    tree.export(at: "/desk", Desk.table.bound(to: desk))
    // More than are handled in one turn of the loop.
    for number in 0..<500 { try ask(service, Int32(number), on: fixture.client) }
    var pipe = try Pipe()
    guard let end = pipe.reader.take()?.release() else { throw TestFailure("no pipe") }
    var refusal: (error: CallResult, handled: Int)?
    var descriptor: UnixDescriptor? = UnixDescriptor(adopting: end) { close($0) }
    fixture.client.call(
      destination: service.uniqueName, path: "/desk", interface: "org.example.Desk1", member: "Ask"
    ) { writer in
      if let descriptor { writer.append(descriptor) }
    } completion: {
      refusal = ($0, desk.calls.count)
    }
    descriptor = nil
    try settle(fixture.client)
    try settle(service)
    try service.attach(to: fixture.loop)
    try fixture.loop.turn(atMost: patience)
    #expect(desk.calls.count < 500)
    #expect(try Pipe.hasReader(pipe.writeEnd) == false)
    try fixture.wait(for: "the refusal") { refusal != nil }
    #expect(refusal?.error.errorName == .invalidArgs)
    #expect(refusal?.error.text.contains("file descriptors") == true)
    #expect(desk.calls.count == 500)
    withExtendedLifetime(tree) {}
  }

  private func ask(_ service: Connection, _ number: Int32, on connection: Connection) throws {
    try connection.callWithoutReply(
      destination: service.uniqueName, path: "/desk", interface: "org.example.Desk1", member: "Ask"
    ) { number.write(to: &$0) }
  }

  private func settle(_ connection: Connection) throws {
    _ = try connection.callAndWait(
      destination: .bus, path: .bus, interface: .bus, member: "GetId")
  }
}
