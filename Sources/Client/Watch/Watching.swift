// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Settings
import System

/// One run of `watch`: both buses or one, from the first snapshot until the reader or the last bus
/// is gone.
final class Watching {
  /// Why it ended, where there is more to say than was said already.
  private(set) var failure: Failure?

  private let invocation: Invocation
  private let console: Console
  private let loop: EventLoop
  private let locale = Reader.locale
  private var log: WatchLog
  private var buses: [WatchedBus] = []
  private var absences: [Absence] = []
  private var outputWatch: DescriptorWatch?
  /// What the buses said that have answered, until all have and the watching begins.
  private var beginning: (waitingFor: Set<Scope>, objects: Daemon.Objects)?

  init(_ invocation: Invocation, _ console: Console, _ loop: EventLoop) {
    self.invocation = invocation
    self.console = console
    self.loop = loop
    log = WatchLog(Reader.locale, selection: nil)
  }

  /// Connects and subscribes; what follows happens in the turns of the loop.
  func start() throws(Errno) {
    noticeWhenTheReaderLeaves()
    let flagged = invocation.scope != nil
    for scope in invocation.scope.map({ [$0] }) ?? [.session, .system] {
      do throws(RemoteError) {
        let bus = try WatchedBus(scope, starting: flagged) { [unowned self] in happened($0, $1) }
        buses.append(bus)
      } catch {
        absences.append(Absence(scope, detail: error.message, isOfBus: true))
      }
    }
    beginning = (Set(buses.map(\.scope)), Daemon.Objects())
    for bus in buses { try bus.start(loop) }
    if buses.isEmpty { end(.noDaemon(absences)) }
  }

  /// A reader that leaves shows on the descriptor, without a write. A file on a disk has no reader
  /// and can't be watched, which is fine.
  private func noticeWhenTheReaderLeaves() {
    outputWatch = try? loop.watch(STDOUT_FILENO, for: .error) { _ in
      Console.endBySIGPIPE()
    }
  }

  // MARK: - Events

  private func happened(_ bus: WatchedBus, _ event: WatchedBus.Event) {
    switch event {
    case .absent(let detail):
      absences.append(Absence(bus.scope, detail: detail))
      answered(bus.scope, Daemon.Objects())
    case .refused(let error):
      console.report(.answered(row: nil, error))
      answered(bus.scope, Daemon.Objects())
    case .present(let objects):
      if beginning != nil { return answered(bus.scope, objects) }
      tell(log.returned(bus.scope, Board(sections: objects.sections, rows: objects.rows)))
    case .changed(let path, let properties): tell(log.changed(bus.scope, path, properties))
    case .added(let path, let properties): tell(log.added(bus.scope, path, properties))
    case .removed(let path): tell(log.removed(bus.scope, path))
    case .lost: tell(log.lost(bus.scope))
    case .disconnected: disconnected(bus)
    }
  }

  private func disconnected(_ bus: WatchedBus) {
    if bus.isCurrent { tell(log.lost(bus.scope)) }
    console.report(.lostBus(bus.scope))
    buses.removeAll { $0 === bus }
    beginning?.waitingFor.remove(bus.scope)
    // A bus where no daemon runs may get one, but nobody waits for that alone.
    if !buses.contains(where: \.isCurrent) { loop.stop() }
  }

  // MARK: - The beginning

  private func answered(_ scope: Scope, _ objects: Daemon.Objects) {
    guard beginning != nil else { return }
    beginning?.waitingFor.remove(scope)
    beginning?.objects.sections += objects.sections
    beginning?.objects.rows += objects.rows
    guard let begun = beginning, begun.waitingFor.isEmpty else { return }
    beginning = nil
    guard buses.contains(where: \.isCurrent) else {
      return absences.isEmpty ? loop.stop() : end(.noDaemon(absences))
    }
    begin(Board(sections: begun.objects.sections, rows: begun.objects.rows))
  }

  private func begin(_ board: Board) {
    if !invocation.operands.isEmpty {
      let selection = select(from: board)
      if selection.isEmpty { return loop.stop() }
      log = WatchLog(locale, selection: selection)
    }
    tell(log.begin(board))
  }

  /// The ids that the operands mean; those that mean no row, or two, are reported.
  private func select(from board: Board) -> Set<String> {
    var selection: Set<String> = []
    let ids = Set(board.rows.map(\.id))
    for typed in invocation.operands {
      if let id = RowID(typed: typed)?.rawValue, ids.contains(id) {
        if board.ambiguous.contains(id) {
          console.report(.ambiguous(id: id))
        } else {
          selection.insert(id)
        }
      } else {
        let nearest = suggestions(for: typed, among: ids.sorted(), limit: 3)
        console.report(.noSuchRow(id: typed, nearest: nearest))
      }
    }
    return selection
  }

  // MARK: - Output

  private func tell(_ events: [WatchEvent]) {
    for event in events {
      let line =
        invocation.json
        ? event.json(locale)
        : event.text(locale, isAmbiguous: log.isAmbiguous(event.row))
      do throws(Failure) {
        try console.print(line)
      } catch {
        return end(error)
      }
    }
  }

  private func end(_ failure: Failure) {
    self.failure = failure
    loop.stop()
  }
}
