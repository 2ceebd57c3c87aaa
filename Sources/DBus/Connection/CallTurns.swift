// SPDX-License-Identifier: MIT

import CDBus

/// Method calls that have arrived and wait: callers take turns, so that one who sends thousands
/// keeps nobody waiting but themselves. The calls of one caller keep their order; among them wait
/// answers to those that were refused as they came.
struct CallTurns {
  private struct Lane {
    private var calls: [OpaquePointer] = []
    private var next = 0

    var isEmpty: Bool { next == calls.count }

    mutating func append(_ call: OpaquePointer) { calls.append(call) }

    mutating func removeFirst() -> OpaquePointer {
      let call = calls[next]
      next += 1
      if next > 64, next * 2 > calls.count {
        calls.removeFirst(next)
        next = 0
      }
      return call
    }
  }

  /// The one call there is, as nearly always, before there is anyone to take turns with.
  private var single: OpaquePointer?
  private var lanes: [String: Lane] = [:]
  /// Whose turn it is: of the callers with calls that wait, each once.
  private var turns: [String] = []
  private var nextTurn = 0

  /// Keeps a call, or an answer to one, with a reference of its own.
  mutating func append(_ call: OpaquePointer) {
    dbus_message_ref(call)
    if single == nil, lanes.isEmpty {
      single = call
      return
    }
    if let first = single {
      single = nil
      enqueue(first)
    }
    enqueue(call)
  }

  private mutating func enqueue(_ call: OpaquePointer) {
    let name =
      dbus_message_get_type(call) == CDBUS_MESSAGE_METHOD_CALL
      ? dbus_message_get_sender(call) : dbus_message_get_destination(call)
    let caller = name.map { String(cString: $0) } ?? ""
    if lanes[caller] == nil { turns.append(caller) }
    lanes[caller, default: Lane()].append(call)
  }

  /// The next call, or answer, whose reference is the caller's now.
  mutating func removeFirst() -> OpaquePointer? {
    if let call = single {
      single = nil
      return call
    }
    guard nextTurn < turns.count else { return nil }
    let caller = turns[nextTurn]
    nextTurn += 1
    let call = lanes[caller]?.removeFirst()
    if lanes[caller]?.isEmpty == false { turns.append(caller) } else { lanes[caller] = nil }
    if nextTurn == turns.count || nextTurn > 1024 {
      turns.removeFirst(nextTurn)
      nextTurn = 0
    }
    return call
  }

  /// Lets go of all that wait.
  mutating func removeAll() {
    while let call = removeFirst() { dbus_message_unref(call) }
  }
}
