// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// The sections, for people and for programs.
nonisolated struct SectionRendering {
  private let locale: Locale
  private let palette: Palette

  init(_ locale: Locale, _ palette: Palette) {
    self.locale = locale
    self.palette = palette
  }

  /// A line a section: id, order, how many rows it has on all buses asked, and title.
  func text(_ board: Board) -> String {
    var counts: [String: Int] = [:]
    for row in board.rows { counts[row.section, default: 0] += 1 }
    var seen: Set<String> = []
    let sections = board.sections.filter { seen.insert($0.id).inserted }

    var table = [["ID", "ORDER", "ROWS", "TITLE"]]
    table += sections.map { section in
      let title = section.title.text(for: locale).printable
      // The section of rows without one comes after all that have an order.
      let order = section.order == Int64(Int32.max) ? "last" : String(section.order)
      return [section.id, order, String(counts[section.id] ?? 0), title]
    }
    let widths = (0..<3).map { column in table.map { $0[column].displayWidth }.max() ?? 0 }
    return table.enumerated().map { index, cells in
      let numbers = [1, 2].map { column in
        String(repeating: " ", count: widths[column] - cells[column].displayWidth) + cells[column]
      }
      let line = ([cells[0].padded(widths[0])] + numbers + [cells[3]]).joined(separator: "  ")
      return (index == 0 ? palette.dim(line) : line) + "\n"
    }.joined()
  }

  /// An object for each section of each bus.
  func json(_ board: Board) -> [JSON] {
    board.sections.map { section in
      let rows = board.rows.count { $0.section == section.id && $0.scope == section.scope }
      return .object([
        .init("id", .string(section.id)),
        .init("bus", .string(section.scope.rawValue)),
        .init("path", .string(section.path.rawValue)),
        .init("title", .string(section.title.text(for: locale))),
        .init("footer", .string(section.footer.text(for: locale))),
        .init("order", .int(section.order)),
        .init("rows", .int(Int64(rows))),
      ])
    }
  }
}
