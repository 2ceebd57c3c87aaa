// SPDX-License-Identifier: MIT

import Settings

/// `reload`: asks each daemon to read its row files again, and tells what is wrong with them.
enum ReloadVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    let daemons = try Daemons(invocation.scope)
    // Both daemons read the same directories, but for the user's own.
    var findings: Set<ConfigError> = []
    try daemons.ask { daemon throws(RemoteError) in
      try daemon.reload(asksPassword: invocation.asksPassword)
      findings.formUnion(try daemon.configErrors())
    } refused: {
      console.report(.answered(row: nil, $0))
    }
    for finding in findings.sorted() { console.note("\(finding)") }
  }
}
