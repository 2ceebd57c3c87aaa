// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes
package import EventLoop
package import System

/// A private connection to a bus.
///
/// Until `attach(to:)` nothing arrives by itself: `callAndWait` and `flush` work, which is all that
/// a command needs. Afterwards messages are dispatched by the loop. A `ConnectionAttempt` gives
/// one that is attached already.
@MainActor
package final class Connection {
  let raw: OpaquePointer
  /// The name that the bus gave this connection. Until it has, which is before anybody but
  /// `greet` has the connection, the bus's own.
  package internal(set) var uniqueName: BusName = .bus

  /// Called once, from the loop, when the connection is lost; not when it is closed from here.
  package var onDisconnect: (() -> Void)?
  /// Called with what no one can be told directly, such as a match rule that the bus refused.
  package var onNotice: ((Notice) -> Void)?

  private(set) var loop: EventLoop?
  private var watches: WatchAdapter?
  private var timeouts: TimeoutAdapter?
  /// What waits for a loop to run it.
  private var postponed: [() -> Void] = []
  private var isClosed = false
  private var isDispatchPlanned = false
  private var isDispatching = false
  private var calls = CallTurns()

  /// Calls that wait, by the order they were made in. libdbus forgets its pending calls without a
  /// word when the connection is lost, so they are kept here.
  private var pendingCalls: [UInt64: PendingCall] = [:]
  private var nextCall: UInt64 = 0

  lazy var router = SignalRouter(connection: self)
  lazy var names = NameTracker(connection: self)
  /// Who answers method calls; nil leaves them to libdbus, which refuses them.
  weak var tree: ObjectTree?

  /// How many calls of others one turn of the loop handles, so that a flood on one connection
  /// leaves room for everything else.
  private static let dispatchBudget = 128
  /// How many messages one turn takes from libdbus, which is little work for each.
  private static let sortingBudget = 4096

  /// How many bytes may wait for the bus to take them before no more calls are handled: a bus that
  /// takes no more, which who reads no answers can bring about, costs memory up to here.
  private static let outgoingLimit = 16 << 20

  private static let descriptorsRefused = DBusError.invalidArgs(
    "file descriptors came with the call, and no method takes any")

  /// Something worth a line in a log.
  nonisolated package enum Notice: Sendable {
    /// The bus refused a match rule, so its signals will not arrive.
    case matchRefused(MatchRule, DBusError)
    /// A signal or an answer of ours could not be sent.
    case notSent(DBusError)
    /// A handler kept a call and dropped it without an answer: a bug.
    case callDropped(ObjectPath, MemberName)
  }

  /// Takes over a connection that `open` made: the bus has yet to be greeted.
  init(adopting raw: OpaquePointer) {
    self.raw = raw
    // The process is not libdbus's to end; the loss is reported instead.
    dbus_connection_set_exit_on_disconnect(raw, 0)
    installFilter()
  }

  isolated deinit {
    for call in pendingCalls.values {
      call.cancel()
    }
    close()
    removeFilter()
    dbus_connection_unref(raw)
  }

  /// Whether messages can still be sent. The corresponding C function is
  /// `dbus_connection_get_is_connected`.
  package var isConnected: Bool {
    !isClosed && dbus_connection_get_is_connected(raw) != 0
  }

  /// Sends what is queued and closes the connection.
  ///
  /// Calls that wait for a reply end with `Disconnected` before this returns (or, within a handler,
  /// soon after it); what arrived and was not handled yet is dropped.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    // A bus that has not greeted reads nothing, and flushing would wait for it.
    if uniqueName.isUnique, dbus_connection_get_is_connected(raw) != 0 {
      dbus_connection_flush(raw)
    }
    dbus_connection_close(raw)
    // Dispatching is not re-entrant; the dispatch under way drains the queue.
    if !isDispatching { finishClosing() }
  }

  private func finishClosing() {
    dbus_connection_set_dispatch_status_function(raw, nil, nil, nil)
    calls.removeAll()
    watches?.remove()
    timeouts?.remove()
    watches = nil
    timeouts = nil
    failPendingCalls()
  }

  /// Waits until everything queued has been handed to the bus's socket. The corresponding C
  /// function is `dbus_connection_flush`.
  package func flush() {
    guard isConnected else { return }
    dbus_connection_flush(raw)
  }

  // MARK: The loop

  /// Lets `loop` move this connection's messages from now on.
  ///
  /// Throws what epoll_ctl(2) refused the socket with.
  package func attach(to loop: EventLoop) throws(Errno) {
    precondition(self.loop == nil, "a connection is attached once")
    watches = try WatchAdapter(
      raw, loop,
      // What arrives while events are handled is dispatched right afterwards.
      beforeEvents: { [unowned self] in isDispatchPlanned = true },
      afterEvents: { [unowned self] in dispatch() })
    timeouts = TimeoutAdapter(raw, loop)
    self.loop = loop
    for work in postponed {
      loop.atEndOfTurn(work)
    }
    postponed = []
    let me = Unmanaged.passUnretained(self).toOpaque()
    dbus_connection_set_dispatch_status_function(
      raw,
      { _, status, data in
        guard status == DBUS_DISPATCH_DATA_REMAINS, let data else { return }
        Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue().planDispatch()
      }, me, nil)
    // What a blocking call read on the side waits already.
    if dbus_connection_get_dispatch_status(raw) == DBUS_DISPATCH_DATA_REMAINS { planDispatch() }
  }

  /// Dispatches soon, but not from within whatever libdbus function is running now.
  private func planDispatch() {
    guard let loop, !isClosed, !isDispatchPlanned, !isDispatching else { return }
    isDispatchPlanned = true
    loop.atEndOfTurn { [weak self] in self?.dispatch() }
  }

  /// Delivers what has arrived, up to the budget: signals and answers at once, and then the calls
  /// of others, who take turns.
  private func dispatch() {
    isDispatchPlanned = false
    guard !isClosed, !isDispatching else { return }
    isDispatching = true
    var budget = Self.dispatchBudget
    // A handler may drop the last reference to this connection.
    withExtendedLifetime(self) {
      var status = dbus_connection_get_dispatch_status(raw)
      var sortingBudget = Self.sortingBudget
      while sortingBudget > 0, status == DBUS_DISPATCH_DATA_REMAINS {
        status = dbus_connection_dispatch(raw)
        sortingBudget -= 1
      }
      // Once the bus takes some the socket is writable, and this is called again.
      while budget > 0, !isClosed, dbus_connection_get_outgoing_size(raw) < Self.outgoingLimit,
        let call = calls.removeFirst()
      {
        handle(Message(adopting: call))
        budget -= 1
      }
      isDispatching = false
      if isClosed {
        finishClosing()
      } else if budget == 0 || sortingBudget == 0 {
        planDispatch()
      }
    }
  }

  /// Handles a call whose turn it is, or sends the answer to one that was refused.
  private func handle(_ call: Message) {
    if dbus_message_get_type(call.raw) == CDBUS_MESSAGE_METHOD_CALL {
      tree?.receive(call.raw)
    } else {
      send(call)
    }
  }

  /// Runs `work` after the present handler has returned; without a loop, once there is one.
  func later(_ work: @escaping () -> Void) {
    if let loop { loop.atEndOfTurn(work) } else { postponed.append(work) }
  }

  // MARK: Arrivals

  private static let filter: DBusHandleMessageFunction = { _, message, data in
    guard let message, let data else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
    return Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue().receive(message)
  }

  private func installFilter() {
    // Unretained: the filter goes before the connection does.
    let me = Unmanaged.passUnretained(self).toOpaque()
    check(dbus_connection_add_filter(raw, Self.filter, me, nil))
  }

  private func removeFilter() {
    dbus_connection_remove_filter(raw, Self.filter, Unmanaged.passUnretained(self).toOpaque())
  }

  private func receive(_ message: OpaquePointer) -> DBusHandlerResult {
    guard !isClosed else { return DBUS_HANDLER_RESULT_HANDLED }
    switch dbus_message_get_type(message) {
    case CDBUS_MESSAGE_METHOD_CALL:
      guard tree != nil else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
      if dbus_message_contains_unix_fds(message) == 0 {
        calls.append(message)
      } else if dbus_message_get_no_reply(message) == 0 {
        // No method takes descriptors. A call that waits would keep them open, until the process
        // may have no more and libdbus gives the connection up.
        let refusal = Message.error(Self.descriptorsRefused, to: Message(retaining: message))
        calls.append(refusal.raw)
      }
      return DBUS_HANDLER_RESULT_HANDLED
    case CDBUS_MESSAGE_SIGNAL:
      if dbus_message_is_signal(message, DBUS_INTERFACE_LOCAL, "Disconnected") != 0 {
        reportLoss()
      } else {
        router.route(message)
      }
      return DBUS_HANDLER_RESULT_HANDLED
    default:
      return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
    }
  }

  private func reportLoss() {
    // libdbus tells once; a peer can't send a message that claims to be local.
    failPendingCalls()
    onDisconnect?()
  }

  // MARK: Calls that wait

  /// Keeps a call until it has ended.
  func keep(_ call: PendingCall) -> UInt64 {
    nextCall += 1
    pendingCalls[nextCall] = call
    return nextCall
  }

  /// Lets go of a call that has ended.
  func forget(_ number: UInt64) {
    pendingCalls[number] = nil
  }

  private func failPendingCalls() {
    let calls = pendingCalls.sorted { $0.key < $1.key }
    for (_, call) in calls {
      call.finish(.failure(Self.disconnected))
    }
  }
}
