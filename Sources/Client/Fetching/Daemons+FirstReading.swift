// SPDX-License-Identifier: MIT

import DBusTypes

// A daemon that was only just started serves its rows before each of them has been read. Whoever
// asks for a state wants to know it, and waits that little while.

extension Daemons {
  /// The rows that match every word, and all sections. Rows that were not read yet are waited for.
  func readBoard(matching words: [String]) throws(Failure) -> Board {
    let board = try board().matching(words)
    return try haveRead(board.rows) ? try self.board().matching(words) : board
  }

  /// The rows with these ids, as typed, as `question` asks for them; what is wrong with one is
  /// reported. Rows that were not read yet are waited for.
  func readRows(
    _ typed: [String], _ console: Console,
    _ question: (Daemon, ObjectPath) throws(RemoteError) -> RowSnapshot
  ) throws(Failure) -> [RowSnapshot] {
    func ask(_ ids: [String]) throws(Failure) -> [(id: String, row: RowSnapshot)] {
      var found: [(id: String, row: RowSnapshot)] = []
      try console.forEach(ids) { id throws(Failure) in
        found.append((id, try row(id, question).answer))
      }
      return found
    }
    var found = try ask(typed)
    if try haveRead(found.map(\.row)) { found = try ask(found.map(\.id)) }
    return found.map(\.row)
  }

  /// Has those of the rows that were not read yet read, all of a bus at once; whether there were
  /// any. One that can't be read stays as it is.
  private func haveRead(_ rows: [RowSnapshot]) throws(Failure) -> Bool {
    let unread = rows.filter(\.isUnread)
    if unread.isEmpty { return false }
    var refusal: RemoteError?
    try ask { daemon throws(RemoteError) in
      try daemon.refresh(unread.filter { $0.scope == daemon.scope }.map(\.path))
    } refused: {
      refusal = $0
    }
    if let refusal { throw .answered(row: nil, refusal) }
    return true
  }
}
