// SPDX-License-Identifier: MIT

import Settings

/// `reload`: asks each daemon to read its row files again, and tells what is wrong with them.
enum ReloadVerb {
  static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    let daemons = try Daemons(invocation.scope)
    let answers = try daemons.ask { daemon throws(RemoteError) in
      try daemon.reload(asksPassword: invocation.asksPassword)
      return try daemon.configErrors()
    }
    // Both daemons read the same directories, but for the user's own.
    var findings: Set<ConfigError> = []
    for (_, answer) in answers {
      switch answer {
      case .success(let found): findings.formUnion(found)
      case .failure(let error): console.report(.answered(row: nil, error))
      }
    }
    for finding in findings.sorted() { console.note("\(finding)") }
  }
}
