// SPDX-License-Identifier: MIT

/// How many colours may be used on standard output.
nonisolated enum ColourDepth: Sendable {
  case none
  case eight
  case twoHundredFiftySix
  case full

  /// After `--no-color`, NO_COLOR (https://no-color.org: set and not empty), COLORTERM and TERM.
  init(
    wanted: Bool, isTerminal: Bool, environment value: (String) -> String?
  ) {
    let type = value("TERM") ?? ""
    let refused = value("NO_COLOR").map { !$0.isEmpty } ?? false
    if !wanted || refused || !isTerminal || Self.isColourless(type) {
      self = .none
    } else if ["truecolor", "24bit"].contains(value("COLORTERM") ?? "") || type.hasSuffix("-direct")
    {
      self = .full
    } else if type.hasSuffix("256color") || type.hasPrefix("xterm-kitty") {
      self = .twoHundredFiftySix
    } else {
      self = .eight
    }
  }

  private static func isColourless(_ type: String) -> Bool {
    type.isEmpty || type == "dumb" || type.hasPrefix("vt") || type.hasSuffix("-mono")
      || type.hasSuffix("-m")
  }
}
