// SPDX-License-Identifier: MIT

/// `sections`: the sections.
enum SectionsVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    let board = try Daemons(invocation.scope).board()
    let reader = Reader(colour: invocation.colour)
    let rendering = SectionRendering(reader.locale, reader.palette)
    try console.print(
      invocation.json ? JSON.lines(rendering.json(board)) : rendering.text(board))
  }
}
