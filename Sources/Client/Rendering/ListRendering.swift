// SPDX-License-Identifier: MIT

import Settings

/// The list as a person sees it: sections, and per row its icon, title, id, switch and state.
nonisolated struct ListRendering {
  /// Longer titles push their own row's columns aside instead of everyone's.
  private static let widestTitle = 44
  /// The cells of a line besides title and id: margins, square, knob and the longest usual state.
  private static let widthBesides = 2 + 2 + 2 + 2 + 3 + 1 + "unknown".count

  private let locale: Locale
  private let palette: Palette
  private let signs: Signs
  /// The cells of a line, or nil where lines may be as long as they like.
  private let columns: Int?

  init(_ locale: Locale, _ palette: Palette, _ signs: Signs, columns: Int?) {
    self.locale = locale
    self.palette = palette
    self.signs = signs
    self.columns = columns
  }

  /// The whole list, ending in a newline; empty for a board without rows.
  func text(_ board: Board) -> String {
    let titleWidth =
      board.rows.map { $0.heading(locale).displayWidth }.filter { $0 <= Self.widestTitle }.max()
      ?? Self.widestTitle
    let idWidth = board.rows.map { $0.typed(board.ambiguous).displayWidth }.max() ?? 0
    let isNarrow = columns.map { $0 < titleWidth + idWidth + Self.widthBesides } ?? false
    return board.groups().map { group in
      var text = heading(of: group.section) + "\n"
      for row in group.rows {
        let typed = row.typed(board.ambiguous)
        text += isNarrow ? lines(row, typed) : line(row, titleWidth, typed, idWidth) + "\n"
        text += notes(row)
      }
      let footer = group.section.footer.text(for: locale).printable
      return text + wrapped(footer, indent: 2).map { palette.dim($0) + "\n" }.joined()
    }.joined(separator: "\n")
  }

  private func heading(of section: SectionSnapshot) -> String {
    let title = section.title.text(for: locale).printable
    return palette.bold(title.isEmpty ? section.id : title)
  }

  private func line(
    _ row: RowSnapshot, _ titleWidth: Int, _ typed: String, _ idWidth: Int
  ) -> String {
    let title = row.heading(locale)
    let square = palette.coloured(signs.square, Colour(row.iconColour))
    return "  \(square) \(title.padded(titleWidth))  \(palette.dim(typed.padded(idWidth)))  "
      + "\(knob(row)) \(row.stateWords)"
  }

  /// The same on two lines, where the columns of one would not fit.
  private func lines(_ row: RowSnapshot, _ typed: String) -> String {
    let square = palette.coloured(signs.square, Colour(row.iconColour))
    return "  \(square) \(row.heading(locale))\n"
      + "    \(knob(row)) \(row.stateWords)  \(palette.dim(typed))\n"
  }

  private func knob(_ row: RowSnapshot) -> String {
    let knob = signs.knob(row.state)
    switch row.state {
    case .on, .mixed: return palette.coloured(knob, Colour(row.switchColour))
    case .off: return palette.dim(knob)
    case .unknown: return palette.warning(knob)
    }
  }

  /// What stands under a row: its subtitle, and why it can't be used.
  private func notes(_ row: RowSnapshot) -> String {
    let subtitle = wrapped(row.subtitle.text(for: locale).printable, indent: 4)
    let trouble = wrapped(row.trouble.map { "(\($0))" } ?? "", indent: 4)
    return subtitle.map { palette.dim($0) + "\n" }.joined()
      + trouble.map { palette.warning($0) + "\n" }.joined()
  }

  /// The text in lines that fit, each indented; no line for an empty text.
  private func wrapped(_ text: String, indent: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    guard let columns, columns > indent + 8 else { return text.isEmpty ? [] : [margin + text] }
    var lines: [String] = []
    var line = ""
    var width = 0
    for word in text.split(separator: " ") {
      let wordWidth = word.displayWidth
      if width > 0, indent + width + 1 + wordWidth > columns {
        lines.append(margin + line)
        (line, width) = ("", 0)
      }
      line += width > 0 ? " " + word : String(word)
      width += (width > 0 ? 1 : 0) + wordWidth
    }
    return line.isEmpty ? lines : lines + [margin + line]
  }
}

extension String {
  /// The text filled up with spaces to so many cells.
  nonisolated func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - displayWidth))
  }
}
