// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// What the administrator has fixed, for the rows of users.
@Suite("a lock in /etc, for a user's rows", .serialized, .needsPackage)
@MainActor
struct LockTests {
  /// A machine with alice in it, who has her own service and bus.
  private static let machine = Result { () throws -> Machine in
    let machine = try InstalledMachine.make(files: [
      "/etc/toggled/rows/lamp.row": row("Lamp", "Locked=true\nDefault=off"),
      "/usr/share/toggled/rows/fan.row": row("Fan"),
      "/etc/toggled/rows/fan.row.d/lock.conf": "[Row]\nLocked=true\nDefault=off\n",
    ])
    try machine.addUser("alice")
    return machine
  }

  nonisolated private static func row(_ title: String, _ keys: String = "") -> String {
    "[Row]\nTitle=\(title)\n\(keys)\n[Backend]\nType=stored\n"
  }

  /// What alice has tried against each of the rows.
  nonisolated private static let attempts: [(name: String, file: String, text: String)] = [
    ("a row of hers", "rows/ID.row", row("Mine")),
    ("a drop-in", "rows/ID.row.d/50-mine.conf", "[Row]\nLocked=false\nTitle=Mine\n"),
    ("a link to /dev/null", "rows/ID.row", ""),
  ]

  @Test("no file of hers unlocks, changes or hides the row", arguments: attempts.map(\.name))
  func attempts(name: String) throws {
    let machine = try Self.machine.get()
    let attempt = try #require(Self.attempts.first { $0.name == name })
    let script = """
      set -eu
      rm -rf ~/.config/toggled ~/.local/state/toggled
      for id in lamp fan; do
        file=$HOME/.config/toggled/$(echo "$1" | sed "s/ID/$id/")
        mkdir -p "$(dirname "$file")"
        if [ "$2" ]; then echo "$2" >"$file"; else ln -s /dev/null "$file"; fi
      done
      systemctl --user restart toggled.service
      for id in lamp fan; do
        togglectl --user get $id
        if togglectl --user on $id; then echo turned; fi
        togglectl --user get $id
        busctl --user get-property org.toggled /org/toggled/rows/$id org.toggled.Row1 Title
        busctl --user get-property org.toggled /org/toggled/rows/$id org.toggled.Row1 Locked
      done
      """
    let outcome = try machine.run(
      ["sh", "-c", script, "sh", attempt.file, attempt.text], as: "alice", at: .seat)
    #expect(
      outcome.output == "off\noff\ns \"Lamp\"\nb true\noff\noff\ns \"Fan\"\nb true\n",
      "\(outcome.error)")
    #expect(outcome.error.contains("row lamp is locked off by the administrator"))
    #expect(outcome.error.contains("row fan is locked off by the administrator"))
  }
}
