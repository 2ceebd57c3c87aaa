// SPDX-License-Identifier: MIT

import Settings

/// A command line that asks for a verb, understood and checked.
nonisolated struct Invocation: Hashable, Sendable {
  var verb: Verb
  /// Rows, words or files: whatever the verb takes, as typed.
  var operands: [String]
  /// The one bus to ask, or nil to ask both and merge the answers.
  var scope: Scope?
  var json = false
  var quiet = false
  var verbose = false
  var colour = true
  /// Whether a flip may make polkit ask the user for a password.
  var asksPassword = true

  init(_ verb: Verb, _ operands: [String] = [], scope: Scope? = nil) {
    self.verb = verb
    self.operands = operands
    self.scope = scope
  }
}

/// What a command line asks for.
nonisolated enum Command: Hashable, Sendable {
  case run(Invocation)
  /// The help text of the program, or of one verb.
  case help(Verb?)
  case version
}
