// SPDX-License-Identifier: MIT

import Settings

extension Board {
  /// What has to be allowed for a flip: of the row, and of every row that it turns with it, whether
  /// that would change now or not. So a group launders nothing, whatever its members are by the
  /// time that it acts.
  func permissions(toTurn row: RowObject, _ on: Bool) -> [Permission] {
    var turns = [Turn(row: row.id, on: on)]
    var next = 0
    var found = Set(turns)
    while next < turns.count {
      let turn = turns[next]
      next += 1
      for turn in consequences(of: turn) where found.insert(turn).inserted { turns.append(turn) }
    }
    return turns.flatMap { turn in
      guard let row = rows[turn.row] else { return [Permission]() }
      return row.polkitActions.sorted().map {
        Permission(action: $0, row: row.id, title: row.face.title, on: turn.on, locale: locale)
      }
    }
  }

  private struct Turn: Hashable {
    let row: RowID
    let on: Bool
  }

  private func consequences(of turn: Turn) -> [Turn] {
    guard let row = rows[turn.row] else { return [] }
    let on = turn.on != row.definition.backend.isInverted
    var turns: [Turn] = []
    switch row.definition.backend.kind {
    case .group(let group): turns += group.rows.map { Turn(row: $0, on: on) }
    // On, it turns radios off.
    case .airplane(let airplane): turns += airplane.members.map { Turn(row: $0, on: !on) }
    default: break
    }
    if turn.on { turns += rivals(of: turn.row).map { Turn(row: $0, on: false) } }
    return turns
  }
}
