// SPDX-License-Identifier: MIT

// togglectl as a library. Arguments become an Invocation; a verb (Verbs/, a file each) fetches what
// it needs (Fetching/), which gives values (Model/), and has them rendered (Rendering/, Terminal/,
// Output/). Failures are values of one type, and Failure/Report is the one place that gives them
// words and exit codes.
//
// All but `watch`, and a question for a password (Authorisation/), use blocking calls on one
// connection a bus: a process that does one thing and ends needs no loop. What is not needed is not
// done: `get` is run by scripts and status bars, so it connects, makes one call, writes once and
// ends. Nothing is loaded at start, not even a locale.
//
// What costs a start most is to have the Swift runtime find out about conformances: the first use
// of a generic type that asks its arguments for some, such as a Set, a Result in an array or an
// option set's literal, searches all of the program for them. On the way of `get` there is none:
// options are an array, answers are handed on by closures, option sets are made from raw values.
//
// No words of ours are translated; a row's own are shown in the caller's language. Text that comes
// over the bus or from a file passes `printable` before it reaches a terminal.

import Settings
import System

/// The program behind `togglectl`.
package enum Togglectl {
  /// Does what the arguments (without the program's name) ask for, and gives the exit code.
  package static func run(_ arguments: [String]) -> Int32 {
    StandardStreams.open()
    let console = Console()
    do throws(Failure) {
      switch try Arguments.parse(arguments) {
      case .help(let verb): try console.print(Help.text(verb))
      case .version: try console.print("togglectl \(Version.current)\n")
      case .run(let invocation): try run(invocation, console)
      }
    } catch {
      console.report(error)
    }
    return console.code.rawValue
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws(Failure) {
    switch invocation.verb {
    case .list: try ListVerb.run(invocation, console)
    case .sections: try SectionsVerb.run(invocation, console)
    case .show: try ShowVerb.run(invocation, console)
    case .get: try GetVerb.run(invocation, console)
    case .on: try OnOffVerb.run(invocation, console, on: true)
    case .off: try OnOffVerb.run(invocation, console, on: false)
    case .toggle: try ToggleVerb.run(invocation, console)
    case .reset: try ResetVerb.run(invocation, console)
    case .refresh: try RefreshVerb.run(invocation, console)
    case .watch: try WatchVerb.run(invocation, console)
    case .check: try CheckVerb.run(invocation, console)
    case .reload: try ReloadVerb.run(invocation, console)
    }
  }
}
