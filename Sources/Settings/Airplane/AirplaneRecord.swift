// SPDX-License-Identifier: MIT

/// What an airplane switch remembers through a restart.
package struct AirplaneRecord: Hashable, Sendable {
  /// The switch's own wish.
  package var isOn: Bool
  /// The rows that the switch turned off, and that nobody turned on again since.
  package var blocked: Set<RowID>
  /// Whether the switch was just being turned on: of the rows some may not be off yet.
  package var isUnfinished: Bool
  /// The kernel's boot id when this was written, by which a start of the machine is told from one
  /// of the daemon alone.
  package var boot: String

  /// A record, complete.
  package init(isOn: Bool, blocked: Set<RowID>, isUnfinished: Bool = false, boot: String) {
    (self.isOn, self.blocked, self.boot) = (isOn, blocked, boot)
    self.isUnfinished = isUnfinished
  }

  private static let separator = " in boot "

  /// Reads what `text` is; nil where no record was written like this.
  package init?(_ text: String) {
    guard text.hasSuffix("\n") else { return nil }
    let lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.first, let space = first.firstIndex(of: " "),
      first[space...].hasPrefix(Self.separator)
    else { return nil }
    switch first[..<space] {
    case "on": (isOn, isUnfinished) = (true, false)
    case "turning-on": (isOn, isUnfinished) = (true, true)
    case "off": (isOn, isUnfinished) = (false, false)
    default: return nil
    }
    boot = String(first[space...].dropFirst(Self.separator.count))
    blocked = []
    for line in lines.dropFirst() {
      guard let id = RowID(String(line)), blocked.insert(id).inserted else { return nil }
    }
  }

  /// The record as a file holds it: the wish and the boot, and a line for each row.
  package var text: String {
    let wish = isUnfinished ? "turning-on" : isOn ? "on" : "off"
    let first = "\(wish)\(Self.separator)\(boot)\n"
    return blocked.sorted().reduce(into: first) { $0 += "\($1)\n" }
  }
}
