// SPDX-License-Identifier: MIT

package import Settings

/// A command line that asks for a verb, understood and checked.
package nonisolated struct Invocation: Hashable, Sendable {
  package var verb: Verb
  /// Rows, words or files: whatever the verb takes, as typed.
  package var operands: [String]
  /// The one bus to ask, or nil to ask both and merge the answers.
  package var scope: Scope?
  package var json = false
  package var quiet = false
  package var verbose = false
  package var colour = true
  /// Whether a flip may make polkit ask the user for a password.
  package var asksPassword = true

  package init(_ verb: Verb, _ operands: [String] = [], scope: Scope? = nil) {
    self.verb = verb
    self.operands = operands
    self.scope = scope
  }
}

/// What a command line asks for.
package nonisolated enum Command: Hashable, Sendable {
  case run(Invocation)
  /// The help text of the program, or of one verb.
  case help(Verb?)
  case version
}
