// SPDX-License-Identifier: MIT

import Backends
import DBus
import DBusTypes
import EventLoop
import TestSupport
import Testing

@MainActor
@Suite("the queue of our own calls")
struct CallQueueTests {
  /// A service that answers when it is told to.
  @MainActor
  final class Peer {
    let connection: Connection
    private let tree: ObjectTree
    /// The calls that await their answer, oldest first.
    var held: [Invocation] = []

    init(_ address: String, _ loop: EventLoop) throws {
      connection = try Connection(.address(address))
      tree = ObjectTree(connection)
      try connection.attach(to: loop)
      let table = InterfaceTable<Peer>(
        "org.example.Peer1",
        methods: [
          .deferred("Wait") { peer, invocation throws(DBusError) in peer.held.append(invocation) }
        ])
      tree.export(at: "/peer", table.bound(to: self))
    }

    func answerOne() {
      guard !held.isEmpty else { return }
      held.removeFirst().reply()
    }
  }

  private let stage: Stage
  private let bus: PrivateBus
  private let connection: Connection

  init() throws {
    stage = try Stage()
    bus = try PrivateBus(.system)
    connection = try Connection(.address(bus.address))
    try connection.attach(to: stage.loop)
  }

  private func peers(_ count: Int) throws -> [Peer] {
    try (0..<count).map { _ in try Peer(bus.address, stage.loop) }
  }

  private func call(_ peer: Peer, timeout: Duration = patience) -> CallQueue.Call {
    CallQueue.Call(
      "Wait", of: "org.example.Peer1", at: "/peer", destination: peer.connection.uniqueName,
      timeout: timeout)
  }

  /// Turns the loop until everything that was sent so far has been handled: a call to the bus
  /// comes back after it.
  private func settle(_ peers: [Peer]) throws {
    for connection in [connection] + peers.map(\.connection) {
      var isBack = false
      connection.call(
        destination: .bus, path: .bus, interface: .peer, member: "Ping"
      ) { _ in isBack = true }
      try stage.turn { isBack }
    }
  }

  @Test("lets 64 calls await an answer, a quarter of them of one peer, and makes the rest later")
  func limits() throws {
    let queue = CallQueue(connection)
    let peers = try peers(6)
    var answered = 0
    for _ in 0..<30 {
      for peer in peers { queue.make(call(peer)) { if case .success = $0 { answered += 1 } } }
    }
    try stage.turn { peers.map(\.held.count).reduce(0, +) == 64 }
    try settle(peers)
    #expect(peers.map(\.held.count).reduce(0, +) == 64)
    #expect(peers.allSatisfy { $0.held.count <= 16 && $0.held.count >= 10 })
    // Each answer makes room for one more, until all have been made.
    while answered < 180 {
      // The last answers may be on their way, with nothing held any more.
      try stage.turn { answered == 180 || peers.contains { !$0.held.isEmpty } }
      let before = answered
      for peer in peers { peer.answerOne() }
      try stage.turn { answered > before || answered == 180 }
      #expect(peers.map(\.held.count).reduce(0, +) <= 64)
    }
    #expect(answered == 180)
    #expect(peers.allSatisfy { $0.held.isEmpty })
  }

  @Test("a peer that hangs keeps no other waiting")
  func fairness() throws {
    let queue = CallQueue(connection, limit: 8)
    let peers = try peers(2)
    for _ in 0..<100 { queue.make(call(peers[0])) { _ in } }
    var answered = 0
    for _ in 0..<20 { queue.make(call(peers[1])) { _ in answered += 1 } }
    while answered < 20 {
      try stage.turn { !peers[1].held.isEmpty || answered == 20 }
      peers[1].answerOne()
    }
    try settle(peers)
    #expect(peers[0].held.count == 2)
  }

  @Test("keeps the order of the calls to one peer")
  func order() throws {
    let queue = CallQueue(connection, limit: 4)
    let peer = try peers(1)[0]
    var answers: [Int] = []
    for index in 0..<20 { queue.make(call(peer)) { _ in answers.append(index) } }
    while answers.count < 20 {
      try stage.turn { !peer.held.isEmpty }
      peer.answerOne()
      let count = answers.count
      try stage.turn { answers.count > count }
    }
    #expect(answers == Array(0..<20))
  }

  @Test("what waits behind a peer that hangs fails when its own time is over")
  func timeout() throws {
    let queue = CallQueue(connection, limit: 4)
    let peer = try peers(1)[0]
    var ends: [ErrorName?] = []
    for number in 0..<50 {
      // One at a time is made; the time of those behind it is over before it is their turn.
      queue.make(call(peer, timeout: number == 0 ? .milliseconds(50) : .zero)) { result in
        if case .failure(let error) = result { ends.append(error.name) } else { ends.append(nil) }
      }
    }
    try stage.turn { ends.count == 50 }
    #expect(ends.allSatisfy { $0 == .noReply })
    // They were never made.
    try settle([peer])
    #expect(peer.held.count == 1)
    peer.held = []
    // The queue is as good as new.
    queue.make(call(peer)) { _ in ends.append(nil) }
    try stage.turn { !peer.held.isEmpty }
    peer.answerOne()
    try stage.turn { ends.count == 51 }
    #expect(ends.last == .some(nil))
  }

  @Test("a completion may make calls, and those that wait come first")
  func reentrancy() throws {
    let queue = CallQueue(connection, limit: 4)
    let peer = try peers(1)[0]
    var answers: [String] = []
    queue.make(call(peer)) { _ in
      answers.append("first")
      queue.make(self.call(peer)) { _ in answers.append("late") }
    }
    queue.make(call(peer)) { _ in answers.append("second") }
    while answers.count < 3 {
      try stage.turn { !peer.held.isEmpty }
      let count = answers.count
      peer.answerOne()
      try stage.turn { answers.count > count }
    }
    #expect(answers == ["first", "second", "late"])
  }

  @Test("a lost connection ends every call, made or not")
  func lost() throws {
    let queue = CallQueue(connection, limit: 4)
    let peer = try peers(1)[0]
    var ends = 0
    for _ in 0..<20 { queue.make(call(peer)) { _ in ends += 1 } }
    try stage.turn { !peer.held.isEmpty }
    try bus.stop()
    try stage.turn { ends == 20 }
  }
}
