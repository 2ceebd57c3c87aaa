// SPDX-License-Identifier: MIT

package import DBus
package import DBusTypes

/// Our own calls on one connection: at most `limit` await an answer, the rest queue.
///
/// A system bus allows a connection 128 outstanding calls by default and drops those past that
/// (dbus-daemon(1), max_replies_per_connection).
package final class CallQueue {
  package typealias Completion = (Result<Message, DBusError>) -> Void

  /// A call that is yet to be made.
  package struct Call {
    package var destination: BusName
    package var path: ObjectPath
    package var interface: InterfaceName
    package var member: MemberName
    package var options: CallOptions = []
    package var timeout: Duration
    package var arguments: [Value] = []

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

  package let connection: Connection
  private let limit: Int
  private var underWay = 0
  private var waiting: [(call: Call, completion: Completion)] = []
  private var firstWaiting = 0

  package init(_ connection: Connection, limit: Int = 64) {
    self.connection = connection
    self.limit = limit
  }

  /// Makes the call now, or when an earlier one has been answered. `completion` runs once.
  package func make(_ call: Call, _ completion: @escaping Completion) {
    guard underWay < limit else {
      waiting.append((call, completion))
      return
    }
    underWay += 1
    connection.call(
      destination: call.destination, path: call.path, interface: call.interface,
      member: call.member, options: call.options, timeout: call.timeout,
      body: { writer in
        for argument in call.arguments { writer.append(argument) }
      },
      completion: { [weak self] result in
        self?.underWay -= 1
        completion(result)
        self?.makeNext()
      })
  }

  private func makeNext() {
    guard firstWaiting < waiting.count, underWay < limit else { return }
    let next = waiting[firstWaiting]
    firstWaiting += 1
    if firstWaiting == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      firstWaiting = 0
    }
    make(next.call, next.completion)
  }
}
