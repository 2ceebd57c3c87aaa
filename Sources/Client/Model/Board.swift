// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// The rows and sections of the buses that were asked, merged.
nonisolated struct Board: Sendable {
  /// A section and its rows, in the order a person should see them.
  struct Group: Sendable {
    var section: SectionSnapshot
    var rows: [RowSnapshot]
  }

  /// By Order, then id; a section that is on both buses is here twice.
  private(set) var sections: [SectionSnapshot]
  /// By section, Order, then id; the session bus before the system bus.
  private(set) var rows: [RowSnapshot]
  /// The ids that both buses have.
  let ambiguous: Set<String>

  init(sections: [SectionSnapshot], rows: [RowSnapshot]) {
    self.sections = sections.sorted { Self.precedes($0, $1) }
    var place: [String: Int] = [:]
    for (index, section) in self.sections.enumerated() where place[section.id] == nil {
      place[section.id] = index
    }
    self.rows = rows.sorted { one, other in
      let (left, right) = (place[one.section] ?? .max, place[other.section] ?? .max)
      if left != right { return left < right }
      return (one.section, one.order, one.id, one.scope.rawValue)
        < (other.section, other.order, other.id, other.scope.rawValue)
    }
    var seen: Set<String> = []
    ambiguous = Set(rows.map(\.id).filter { !seen.insert($0).inserted })
  }

  private static func precedes(_ one: SectionSnapshot, _ other: SectionSnapshot) -> Bool {
    (one.order, one.id, one.scope.rawValue) < (other.order, other.id, other.scope.rawValue)
  }

  /// The section of `row` on the row's own bus.
  func section(of row: RowSnapshot) -> SectionSnapshot? {
    sections.first { $0.id == row.section && $0.scope == row.scope }
  }

  /// The rows under their sections. A section that both buses have is one, with the session's
  /// texts, which are the more personal ones.
  func groups() -> [Group] {
    var groups: [Group] = []
    for row in rows {
      if let last = groups.indices.last, groups[last].section.id == row.section {
        groups[last].rows.append(row)
      } else {
        groups.append(Group(section: texts(of: row), rows: [row]))
      }
    }
    return groups
  }

  private func texts(of row: RowSnapshot) -> SectionSnapshot {
    if let section = sections.first(where: { $0.id == row.section }) { return section }
    return SectionSnapshot(row.scope, "/", .options([("Id", .string(row.section))]))
  }

  /// The board with the rows that match every word.
  func matching(_ words: [String]) -> Board {
    let filter = RowFilter(words)
    return Board(
      sections: sections, rows: rows.filter { filter.matches($0, in: section(of: $0)) })
  }
}
