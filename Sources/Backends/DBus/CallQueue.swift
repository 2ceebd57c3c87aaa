// SPDX-License-Identifier: MIT

package import DBus
package import DBusTypes
import EventLoop

/// Our own calls on one connection: at most `limit` await an answer, the rest queue.
///
/// A system bus allows a connection 128 outstanding calls by default and drops those past that
/// (dbus-daemon(1), max_replies_per_connection). No peer may have more than a part of the places,
/// so that one that hangs does not keep the others waiting, and peers take turns. A call's time
/// runs from the moment it is queued: behind a peer that hangs it fails when its time is over.
package final class CallQueue {
  /// Runs once, with the answer or with why there is none.
  package typealias Completion = (Result<Message, DBusError>) -> Void

  /// A call that is yet to be made.
  package struct Call {
    /// Who is called; callers of one destination share its places.
    package var destination: BusName
    /// The object.
    package var path: ObjectPath
    /// The method's interface.
    package var interface: InterfaceName
    /// The method.
    package var member: MemberName
    /// How it is called.
    package var options: CallOptions = []
    /// How long the answer may take, the time in the queue included.
    package var timeout: Duration
    /// The body.
    package var arguments: [Value] = []

    /// A call without arguments or options.
    package init(
      _ member: MemberName, of interface: InterfaceName, at path: ObjectPath,
      destination: BusName, timeout: Duration
    ) {
      self.member = member
      self.interface = interface
      self.path = path
      self.destination = destination
      self.timeout = timeout
    }
  }

  private struct Entry {
    let call: Call
    let deadline: Duration
    let completion: Completion
  }

  /// The calls to one peer.
  private struct Lane {
    var underWay = 0
    /// The next is the last: `waiting` is refilled from `arrived`, turned round, when it is empty.
    var waiting: [Entry] = []
    var arrived: [Entry] = []

    var isEmpty: Bool { waiting.isEmpty && arrived.isEmpty }

    mutating func popFirst() -> Entry? {
      if waiting.isEmpty {
        waiting = arrived.reversed()
        arrived = []
      }
      return waiting.popLast()
    }
  }

  /// What the calls are made on.
  package let connection: Connection
  private let limit: Int
  private let share: Int
  private var underWay = 0
  private var lanes: [BusName: Lane] = [:]
  /// The peers with calls that wait and places left of their share, in the order of their turns.
  private var ready: [BusName] = []
  private var isClosed = false

  /// - Parameter limit: how many calls may await an answer; one peer may have a quarter of them.
  package init(_ connection: Connection, limit: Int = 64) {
    self.connection = connection
    self.limit = limit
    share = max(1, limit / 4)
  }

  /// Makes the call now, or when earlier ones have been answered. `completion` runs once, with
  /// `NoReply` when the call's time was over before its turn came.
  package func make(_ call: Call, _ completion: @escaping Completion) {
    if isClosed { return completion(.failure(Self.closed)) }
    let deadline = EventLoop.now + call.timeout
    lanes[call.destination, default: Lane()].arrived.append(
      Entry(call: call, deadline: deadline, completion: completion))
    noteReady(call.destination)
    pump()
  }

  /// Ends the calls that wait, and all that are made from now on: the connection is lost, and may
  /// be let go.
  package func close() {
    isClosed = true
    let left = lanes.values.flatMap { $0.waiting.reversed() + $0.arrived }
    (lanes, ready) = ([:], [])
    for entry in left { entry.completion(.failure(Self.closed)) }
  }

  private static let closed = DBusError(.disconnected, "the connection to the bus is closed")

  private func noteReady(_ peer: BusName) {
    guard let lane = lanes[peer], !lane.isEmpty, lane.underWay < share, !ready.contains(peer)
    else { return }
    ready.append(peer)
  }

  private func pump() {
    while underWay < limit, !ready.isEmpty {
      let peer = ready.removeFirst()
      guard let entry = lanes[peer]?.popFirst() else { continue }
      let left = entry.deadline - EventLoop.now
      if left > .zero {
        underWay += 1
        lanes[peer]?.underWay += 1
        send(entry, timeout: left)
      }
      noteReady(peer)
      if left <= .zero {
        entry.completion(.failure(Self.tooLate(peer)))
      }
    }
  }

  private func send(_ entry: Entry, timeout: Duration) {
    let call = entry.call
    connection.call(
      destination: call.destination, path: call.path, interface: call.interface,
      member: call.member, options: call.options, timeout: timeout,
      body: { writer in
        for argument in call.arguments { writer.append(argument) }
      },
      completion: { [weak self] result in
        self?.finish(call.destination)
        entry.completion(result)
        self?.pump()
      })
  }

  private func finish(_ peer: BusName) {
    underWay -= 1
    lanes[peer]?.underWay -= 1
    noteReady(peer)
    if let lane = lanes[peer], lane.isEmpty, lane.underWay == 0 { lanes[peer] = nil }
  }

  private static func tooLate(_ peer: BusName) -> DBusError {
    DBusError(.noReply, "\(peer) has not answered the calls before this one")
  }
}
