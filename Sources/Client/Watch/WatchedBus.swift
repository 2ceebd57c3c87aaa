// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import Settings
import System

/// The daemon of one bus, followed through restarts.
///
/// Signals are subscribed to before the rows are asked for, and what arrives before the answer is
/// dropped: messages of one sender keep their order, so the answer has it in already.
final class WatchedBus {
  /// What happens there.
  enum Event {
    /// There is no daemon to begin with, and why where that is known.
    case absent(String?)
    /// A daemon is there and these are its rows: at the beginning, and whenever it has come back.
    case present(Daemon.Objects)
    case changed(ObjectPath, Value)
    case added(ObjectPath, Value)
    case removed(ObjectPath)
    /// The daemon left the bus.
    case lost
    /// The daemon refused to tell of its rows.
    case refused(RemoteError)
    /// The bus itself is gone.
    case disconnected
  }

  let scope: Scope
  /// Whether the rows are known and their signals are told of.
  private(set) var isCurrent = false

  private let connection: Connection
  private var starting: Bool
  private let handler: (WatchedBus, Event) -> Void
  private var matches: [MatchHandle] = []
  private var watch: NameWatch?
  private var question: PendingCall?
  private var owner: BusName?
  private var hasAnswered = false

  /// Connects to the bus of `scope`; `starting` has the daemon started if it is not running now.
  init(
    _ scope: Scope, starting: Bool, _ handler: @escaping (WatchedBus, Event) -> Void
  ) throws(RemoteError) {
    self.scope = scope
    self.starting = starting
    self.handler = handler
    do throws(DBusError) {
      connection = try Connection(BusAddress(scope), within: Connection.patience)
    } catch {
      throw RemoteError(error)
    }
  }

  /// Begins to follow the daemon, in the turns of `loop`.
  func start(_ loop: EventLoop) throws(Errno) {
    connection.onDisconnect = { [unowned self] in handler(self, .disconnected) }
    try connection.attach(to: loop)
    let rows = MatchRule.propertiesChanged(
      of: .row, at: .namespace(.rows), sender: .toggled)
    subscribe(rows) { [unowned self] message in rowChanged(message) }
    for member: MemberName in ["InterfacesAdded", "InterfacesRemoved"] {
      let objects = MatchRule(
        sender: .toggled, path: .object(.toggled), interface: .objectManager,
        member: member)
      subscribe(objects) { [unowned self] message in
        if member == "InterfacesAdded" { rowAdded(message) } else { rowRemoved(message) }
      }
    }
    watch = connection.watchName(.toggled) { [unowned self] in ownerChanged($0) }
  }

  private func subscribe(_ rule: MatchRule, _ received: @escaping (Message) -> Void) {
    let match = connection.addMatch(rule) { [unowned self] message in
      if isCurrent { received(message) }
    }
    matches.append(match)
  }

  // MARK: - The daemon comes and goes

  private func ownerChanged(_ new: BusName?) {
    let old = owner
    owner = new
    if isCurrent {
      isCurrent = false
      handler(self, .lost)
    }
    if new != nil {
      // The call that started the daemon is answered by it, and need not be made twice.
      if old == nil, question?.isPending == true { return }
      ask()
    } else if starting {
      ask()
    } else {
      question?.cancel()
      answerFirst(.absent(nil))
    }
  }

  private func ask() {
    question?.cancel()
    question = connection.call(
      destination: .toggled, path: .toggled, interface: .objectManager,
      member: "GetManagedObjects", options: starting ? [] : .noAutoStart
    ) { [unowned self] result in
      do throws(RemoteError) {
        try answered(result)
      } catch {
        answerFirst(error.isAbsence(afterStarting: true) ? .absent(error.message) : .refused(error))
      }
    }
    // Once only: a daemon that is stopped on purpose while we watch stays stopped.
    starting = false
  }

  private func answered(_ result: CallResult) throws(RemoteError) {
    switch result {
    case .success(let reply):
      let objects = try Daemon.objects(in: reply, scope)
      hasAnswered = true
      isCurrent = true
      handler(self, .present(objects))
    case .failure(let error):
      throw RemoteError(error)
    }
  }

  /// Tells that there is nothing at the beginning; later the next owner of the name is waited for.
  private func answerFirst(_ event: Event) {
    guard !hasAnswered else { return }
    hasAnswered = true
    handler(self, event)
  }

  // MARK: - Signals

  private func rowChanged(_ message: Message) {
    guard let path = message.path, let arguments = try? message.values(), arguments.count == 3
    else { return }
    handler(self, .changed(path, arguments[1]))
  }

  private func rowAdded(_ message: Message) {
    guard let arguments = try? message.values(), arguments.count == 2,
      case .objectPath(let path) = arguments[0],
      let properties = arguments[1][InterfaceName.row.rawValue]
    else { return }
    handler(self, .added(path, properties))
  }

  private func rowRemoved(_ message: Message) {
    guard let arguments = try? message.values(), arguments.count == 2,
      case .objectPath(let path) = arguments[0],
      case .array(_, let interfaces) = arguments[1],
      interfaces.contains(.string(InterfaceName.row.rawValue))
    else { return }
    handler(self, .removed(path))
  }
}
