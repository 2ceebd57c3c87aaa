// SPDX-License-Identifier: MIT

import DBusTypes

/// `show ROW...`: all of a row.
enum ShowVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    let rows = try Daemons(invocation.scope).readRows(invocation.operands, console) {
      daemon, path throws(RemoteError) in
      try daemon.row(path)
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
