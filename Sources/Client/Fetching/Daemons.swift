// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// The daemons that were asked for: one with a flag, else those of both buses that are there.
///
/// A bus is connected to when it is first asked, and a daemon that turns out to be absent is not
/// asked again. When none is left the answer is `Failure.noDaemon`.
final class Daemons {
  private var present: [Daemon] = []
  private var absences: [Absence] = []
  private let flagged: Bool

  /// Connects to the bus of `scope`, or to both. A daemon is only started where a flag named its
  /// bus.
  init(_ scope: Scope?) throws(Failure) {
    flagged = scope != nil
    for scope in scope.map({ [$0] }) ?? [.session, .system] {
      do throws(RemoteError) {
        present.append(try Daemon(scope, starting: flagged))
      } catch {
        absences.append(Absence(scope, detail: error.message, isOfBus: true))
      }
    }
    try requireOne()
  }

  /// Asks this one alone.
  init(only daemon: Daemon) {
    flagged = false
    present = [daemon]
  }

  /// Puts the question to every daemon that is there; what one refuses it with is handed on.
  /// Nothing is returned, for a list of results would make each start slower: see Togglectl.
  func ask(
    _ question: (Daemon) throws(RemoteError) -> Void, refused: (RemoteError) -> Void
  ) throws(Failure) {
    for daemon in present {
      do throws(RemoteError) {
        try question(daemon)
      } catch {
        if error.isLoss { throw .lostBus(daemon.scope) }
        if error.isAbsence(afterStarting: flagged) {
          present.removeAll { $0 === daemon }
          absences.append(Absence(daemon.scope, detail: flagged ? error.message : nil))
        } else {
          refused(error)
        }
      }
    }
    try requireOne()
  }

  /// The rows and sections of all daemons.
  func board() throws(Failure) -> Board {
    var sections: [SectionSnapshot] = []
    var rows: [RowSnapshot] = []
    var refusal: RemoteError?
    try ask { daemon throws(RemoteError) in
      let objects = try daemon.objects()
      sections += objects.sections
      rows += objects.rows
    } refused: {
      refusal = refusal ?? $0
    }
    if let refusal { throw .answered(row: nil, refusal) }
    return Board(sections: sections, rows: rows)
  }

  /// Puts the question about the row with this id, as typed, to every daemon, and gives the answer
  /// of the one that has it. Two that have it make the id ambiguous, none is `noSuchRow`.
  func row<Answer>(
    _ typed: String, _ question: (Daemon, ObjectPath) throws(RemoteError) -> Answer
  ) throws(Failure) -> (daemon: Daemon, path: ObjectPath, answer: Answer) {
    guard let id = RowID(typed: typed) else { throw try noSuchRow(typed) }
    let path = ObjectPath.row(id)
    var found: (daemon: Daemon, path: ObjectPath, answer: Answer)?
    var isAmbiguous = false
    var refusal: RemoteError?
    try ask { daemon throws(RemoteError) in
      let answer = try question(daemon, path)
      isAmbiguous = found != nil
      found = (daemon, path, answer)
    } refused: {
      if !$0.isUnknownObject { refusal = $0 }
    }
    if isAmbiguous { throw .ambiguous(id: id.rawValue) }
    if let found { return found }
    if let refusal { throw .answered(row: id.rawValue, refusal) }
    throw try noSuchRow(typed)
  }

  /// Has the one daemon that has the row do something to it. With two to choose from they are asked
  /// for its state first, so that nothing is done to a row whose id is ambiguous.
  func act<Answer>(
    _ typed: String, _ action: (Daemon, ObjectPath) throws(RemoteError) -> Answer
  ) throws(Failure) -> (daemon: Daemon, path: ObjectPath, answer: Answer) {
    guard present.count > 1 else { return try row(typed, action) }
    let found = try row(typed) { daemon, path throws(RemoteError) in try daemon.state(path) }
    return try Daemons(only: found.daemon).row(typed, action)
  }

  /// The row as it is after something that failed; nil where it can't be told.
  func readBack(_ typed: String) -> RowSnapshot? {
    let found = try? row(typed) { daemon, path throws(RemoteError) in try daemon.row(path) }
    return found?.answer
  }

  /// That there is no such row, with the ids that look like it.
  private func noSuchRow(_ typed: String) throws(Failure) -> Failure {
    var ids: Set<String> = []
    try ask { daemon throws(RemoteError) in
      ids.formUnion(try daemon.ids())
    } refused: { _ in
    }
    return .noSuchRow(
      id: typed, nearest: suggestions(for: typed, among: ids.sorted(), limit: 3),
      absent: absences.filter { !$0.isOfBus }.map(\.scope))
  }

  private func requireOne() throws(Failure) {
    if present.isEmpty { throw .noDaemon(absences) }
  }
}
