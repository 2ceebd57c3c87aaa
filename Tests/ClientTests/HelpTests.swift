// SPDX-License-Identifier: MIT

import Testing

@testable import Client

@Suite("Help")
struct HelpTests {
  @Test("the overview is as written")
  func overview() {
    #expect(
      Help.text(nil) == """
        Usage: togglectl [OPTION...] [VERB] [ARGUMENT...]

        Shows and flips the settings that toggled publishes on D-Bus.

        Verbs:
          list [WORD...]    the rows by section, or those that match every WORD (the default)
          sections          the sections
          show ROW...       all there is to know about a row
          get ROW...        on, off, mixed or unknown, a line a row
          on ROW...         turn rows on
          off ROW...        turn rows off
          toggle ROW...     flip rows
          reset ROW...      back to the schedule's value, or to the default
          refresh [ROW...]  read rows again; changes nothing
          watch [ROW...]    the present state, then a line a change, for ever
          check [FILE...]   look for mistakes in row files; needs no daemon
          reload            ask the daemon to read its row files again

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

        """)
  }

  @Test("a verb's help begins with its usage")
  func verb() {
    #expect(
      Help.text(.get) == """
        Usage: togglectl [OPTION...] get ROW...

        Prints on, off, mixed or unknown, a line a row.

          -q, --quiet  print nothing: exit 0 if the row is on, 10 if it is off,
                       11 if it is mixed or unknown

        """)
  }

  @Test("every help text is plain ASCII and fits a terminal", arguments: Verb.allCases)
  func fits(verb: Verb) {
    for text in [Help.text(verb), Help.text(nil)] {
      #expect(text.utf8.allSatisfy { $0 < 0x7f })
      #expect(text.hasSuffix("\n"))
      for line in text.split(separator: "\n") { #expect(line.utf8.count <= 90) }
    }
  }
}
