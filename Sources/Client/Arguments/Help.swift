// SPDX-License-Identifier: MIT

/// The texts of `--help`.
nonisolated enum Help {
  /// The text of the program, or of one verb, ending in a newline.
  static func text(_ verb: Verb?) -> String {
    guard let verb else { return overview }
    let usage = ["Usage: togglectl [OPTION...]", verb.rawValue, verb.operands]
      .filter { !$0.isEmpty }.joined(separator: " ")
    return "\(usage)\n\n\(details(verb))"
  }

  private static var overview: String {
    let verbs = Verb.allCases.map { verb in
      let name = "\(verb.rawValue) \(verb.operands)"
      return
        "  \(name)\(String(repeating: " ", count: max(1, 18 - name.utf8.count)))\(verb.summary)\n"
    }
    return """
      Usage: togglectl [OPTION...] [VERB] [ARGUMENT...]

      Shows and flips the settings that toggled publishes on D-Bus.

      Verbs:
      \(verbs.joined())
      Options:
        --system           ask the system's daemon only, and start it if need be
        --user             ask the user's daemon only, and start it if need be
        --json             answer in JSON
        --no-color         no colours, even on a terminal
        --no-ask-password  fail rather than ask for a password
        -h, --help         this text, or a verb's: togglectl get --help
        --version          the version

      'togglectl list' shows the ids of the rows; '-' and '_' in them are the same.
      Exit: 0 done, 1 failed, 2 usage, 3 no such row, 4 denied, 5 unavailable, 6 no daemon.

      """
  }

  private static func details(_ verb: Verb) -> String {
    switch verb {
    case .list:
      """
      Shows the rows by section: title, id, switch and state. With words, only the rows
      that have every WORD in their id, title, subtitle, keywords or section, in any
      language.

      """
    case .sections:
      "Shows every section: its id, its order, how many rows it has, and its title.\n"
    case .show:
      "Shows all there is to know about each ROW, in words.\n"
    case .get:
      """
      Prints on, off, mixed or unknown, a line a row.

        -q, --quiet  print nothing: exit 0 if the row is on, 10 if it is off,
                     11 if it is mixed or unknown

      """
    case .on, .off:
      """
      Turns each ROW \(verb.rawValue) and waits until that is confirmed. \
      What is \(verb.rawValue) already stays so.

        -v, --verbose  say what each row is now

      """
    case .toggle:
      """
      Flips each ROW and waits until that is confirmed. The daemon does the flipping, so
      two at once are two flips. A mixed row turns on.

        -v, --verbose  say what each row is now

      """
    case .reset:
      """
      Takes each ROW back to its schedule's value or, without a schedule, its default.

        -v, --verbose  say what each row is now

      """
    case .refresh:
      "Reads each ROW, or every row, again from what is behind it. Changes nothing.\n"
    case .watch:
      """
      Prints the present state of each ROW, or of every row, then a line a change, until
      interrupted. A line is the id and on, off, mixed or unknown; or lost, when the
      daemon has left the bus, or removed; then what else there is to say.

      """
    case .check:
      """
      Looks for mistakes in each FILE (.row, .section, .conf, or a directory of them), or
      in all that the daemons would read. Prints 'file:line: message', one finding a line.
      Exit 1 if there is an error, 0 if there are only warnings or nothing.

      """
    case .reload:
      """
      Asks each daemon to read its row files again and shows what it found wrong in them.
      They notice changes by themselves; this is for when they can't.

      """
    }
  }
}
