// SPDX-License-Identifier: MIT

/// Programs that read and flip something, as `Type=command` describes them: each a program and its
/// arguments.
package struct CommandBackendDefinition: Hashable, Sendable {
  /// Says what is, and changes nothing; nil where it can't be told: then the row is what it was
  /// last set to.
  package var state: [String]?
  /// Turns it on; nil where that can't be done.
  package var on: [String]?
  /// Turns it off; nil where that can't be done.
  package var off: [String]?
  /// Runs all the time, and prints a line whenever there may be something new.
  package var watch: [String]?
  /// How often to run `state` where nothing tells of changes; nil for never.
  package var interval: Duration?
  /// Whether it is how `state` exits that says what is: 0 is on and 1 off. Else it is what it
  /// prints.
  package var successIsOn: Bool

  /// Programs; the defaults are those of row files.
  package init(
    state: [String]? = nil, on: [String]? = nil, off: [String]? = nil, watch: [String]? = nil,
    interval: Duration? = nil, successIsOn: Bool = false
  ) {
    self.state = state
    self.on = on
    self.off = off
    self.watch = watch
    self.interval = interval
    self.successIsOn = successIsOn
  }
}

extension CommandBackendDefinition {
  static func read(_ reader: inout GroupReader) -> CommandBackendDefinition? {
    let definition = CommandBackendDefinition(
      state: reader.commandLine("State"), on: reader.commandLine("On"),
      off: reader.commandLine("Off"), watch: reader.commandLine("Watch"),
      interval: reader.seconds("Interval", most: 86_400),
      successIsOn: reader.flag("SuccessIsOn") ?? false)
    if !reader.has("State") {
      if !reader.has("On"), !reader.has("Off") {
        reader.missing("State", expected: "a command line, or On= and Off=")
      }
      for key in ["Watch", "Interval", "SuccessIsOn"] where reader.has(key) {
        reader.missing("State", expected: "the command line that \(key) is about")
      }
    }
    return definition
  }
}
