// SPDX-License-Identifier: MIT

/// `list [WORD...]`: the rows by section.
enum ListVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    let board = try Daemons(invocation.scope).readBoard(matching: invocation.operands)
    if invocation.json {
      let locale = Reader.locale
      try console.print(JSON.lines(board.rows.map { .object($0.json(locale)) }))
    } else {
      let reader = Reader(colour: invocation.colour)
      let rendering = ListRendering(
        reader.locale, reader.palette, reader.signs, columns: reader.columns)
      try console.print(rendering.text(board))
      if board.rows.isEmpty {
        let words = invocation.operands.joined(separator: " ")
        console.note(
          words.isEmpty
            ? "There are no rows; 'man toggled.row' tells how to add one."
            : "No row matches: \(words)")
      }
    }
  }
}
