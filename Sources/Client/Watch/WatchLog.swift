// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// What `watch` knows of the rows, and what it has to say when that changes. Pure: it is fed what
/// the buses tell and answers with events.
///
/// Whether a row changed is decided by comparing what JSON would show of it before and after, so
/// the two can't disagree, and a translation into someone else's language is no event.
nonisolated struct WatchLog {
  private struct Key: Hashable {
    var scope: Scope
    var path: ObjectPath
  }

  private let locale: Locale
  /// The ids to tell of, or nil for all.
  private let selection: Set<String>?
  private var rows: [Key: RowSnapshot] = [:]

  init(_ locale: Locale, selection: Set<String>?) {
    self.locale = locale
    self.selection = selection
  }

  /// Whether the other bus has a row of the same id.
  func isAmbiguous(_ row: RowSnapshot) -> Bool {
    Scope.allCases.contains { scope in
      scope != row.scope && rows[Key(scope: scope, path: row.path)] != nil
    }
  }

  /// The rows as they are when the watching begins.
  mutating func begin(_ board: Board) -> [WatchEvent] {
    board.rows.filter(isSelected).map { row in
      rows[Key(scope: row.scope, path: row.path)] = row
      return WatchEvent(.snapshot, row, changed: keys(row))
    }
  }

  /// The rows of a daemon that has come, or come back.
  mutating func returned(_ scope: Scope, _ board: Board) -> [WatchEvent] {
    let present = Set(board.rows.map(\.path))
    let gone = known(scope).filter { !present.contains($0.path) }
    return gone.flatMap { removed(scope, $0.path) }
      + board.rows.flatMap { replace($0) }
  }

  /// The daemon left the bus: its rows are unknown, which is not off.
  mutating func lost(_ scope: Scope) -> [WatchEvent] {
    known(scope).map { row in
      rows[Key(scope: scope, path: row.path)] = row.lost
      return WatchEvent(.lost, row.lost, changed: difference(row, row.lost))
    }
  }

  /// Properties of a row changed.
  mutating func changed(
    _ scope: Scope, _ path: ObjectPath, _ properties: Value
  ) -> [WatchEvent] {
    guard var row = rows[Key(scope: scope, path: path)] else { return [] }
    row.apply(properties)
    return replace(row)
  }

  /// A row was added.
  mutating func added(
    _ scope: Scope, _ path: ObjectPath, _ properties: Value
  ) -> [WatchEvent] {
    replace(RowSnapshot(scope, path, properties))
  }

  /// A row, or some other object, was removed.
  mutating func removed(_ scope: Scope, _ path: ObjectPath) -> [WatchEvent] {
    guard let row = rows.removeValue(forKey: Key(scope: scope, path: path)) else { return [] }
    return [WatchEvent(.removed, row, changed: [])]
  }

  private mutating func replace(_ row: RowSnapshot) -> [WatchEvent] {
    guard isSelected(row) else { return [] }
    guard let before = rows.updateValue(row, forKey: Key(scope: row.scope, path: row.path)) else {
      return [WatchEvent(.added, row, changed: keys(row))]
    }
    let changed = difference(before, row)
    return changed.isEmpty ? [] : [WatchEvent(.changed, row, changed: changed)]
  }

  private func isSelected(_ row: RowSnapshot) -> Bool {
    selection?.contains(row.id) ?? true
  }

  private func known(_ scope: Scope) -> [RowSnapshot] {
    Board(sections: [], rows: rows.values.filter { $0.scope == scope }).rows
  }

  private func keys(_ row: RowSnapshot) -> [String] {
    row.json(locale).map(\.key)
  }

  private func difference(_ before: RowSnapshot, _ after: RowSnapshot) -> [String] {
    zip(before.json(locale), after.json(locale)).filter { $0.value != $1.value }.map(\.1.key)
  }
}
