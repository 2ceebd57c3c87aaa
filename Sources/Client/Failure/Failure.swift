// SPDX-License-Identifier: MIT

import Settings

/// Everything that can keep togglectl from doing what it was asked. `Report` turns it into text
/// and exit code, and nothing else does.
nonisolated enum Failure: Error, Hashable, Sendable {
  /// The command line makes no sense; `hint` is a whole clause such as a suggestion.
  case usage(String, hint: String)
  /// The row is on both buses and no flag says which is meant.
  case ambiguous(id: String)
  /// No bus has a row of that id. `nearest` are ids that look like it, and `absent` the buses
  /// without a daemon that could have told of more.
  case noSuchRow(id: String, nearest: [String], absent: [Scope] = [])
  /// The daemon, or the bus, answered a call with an error.
  case answered(row: String?, RemoteError)
  /// No daemon on any bus asked: why, for each of them.
  case noDaemon([Absence])
  /// The connection to a bus broke.
  case lostBus(Scope)
  /// Standard output can't be written to.
  case output(String)
  /// A file named on the command line can't be used, or a system call failed.
  case local(String)

  /// A usage failure that suggests the nearest of the words that would have been right.
  static func usage(_ text: String, _ nearest: String? = nil, seeHelp: Bool = false)
    -> Failure
  {
    if let nearest { return .usage(text, hint: ", did you mean '\(nearest)'?") }
    return .usage(text, hint: seeHelp ? "; see 'togglectl --help'" : "")
  }
}

/// An error that came over the bus.
nonisolated struct RemoteError: Error, Hashable, Sendable {
  /// The D-Bus error name.
  var name: String
  /// The words that came with it; may be empty.
  var message: String
  /// What this program has to say besides, such as why it asked nobody for a password.
  var remark: String?

  init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  /// The same error with a remark.
  func adding(_ remark: String) -> RemoteError {
    var error = self
    error.remark = remark
    return error
  }
}

/// Why there is no daemon on a bus.
nonisolated struct Absence: Hashable, Sendable {
  /// The bus that was asked.
  var scope: Scope
  /// What happened, when it is more than that nobody has the name.
  var detail: String?
  /// Whether it is the bus itself that can't be reached.
  var isOfBus: Bool

  init(_ scope: Scope, detail: String? = nil, isOfBus: Bool = false) {
    self.scope = scope
    self.detail = detail
    self.isOfBus = isOfBus
  }
}
