// SPDX-License-Identifier: MIT

import DBusTypes

/// `show ROW...`: all of a row.
enum ShowVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    let daemons = try Daemons(invocation.scope)
    var rows: [RowSnapshot] = []
    try console.forEach(invocation.operands) { typed throws(Failure) in
      let found = try daemons.row(typed) { daemon, path throws(RemoteError) in
        try daemon.row(path)
      }
      rows.append(found.answer)
    }
    let reader = Reader(colour: invocation.colour)
    if invocation.json {
      try console.print(JSON.lines(rows.map { .object($0.json(reader.locale)) }))
    } else {
      let rendering = ShowRendering(
        reader.locale, reader.palette, localTime: Reader.localTime(microseconds:))
      try console.print(rows.map(rendering.text).joined(separator: "\n"))
    }
  }
}
