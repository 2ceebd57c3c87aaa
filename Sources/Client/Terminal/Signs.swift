// SPDX-License-Identifier: MIT

import Settings

/// The drawings of the list, for a terminal that takes UTF-8 or one that does not. Which side the
/// knob is on and what it looks like tell the state without any colour.
nonisolated struct Signs: Sendable {
  private let isUTF8: Bool

  init(utf8: Bool) {
    isUTF8 = utf8
  }

  /// Whether the character set of the locale is UTF-8: the first of LC_ALL, LC_CTYPE and LANG
  /// that is set decides (POSIX, "Internationalization Variables").
  init(environment value: (String) -> String?) {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(value).first { !$0.isEmpty } ?? ""
    let encoding = name.split(separator: ".").dropFirst().first?.prefix { $0 != "@" } ?? ""
    isUTF8 = ["utf-8", "utf8"].contains(encoding.lowercased())
  }

  /// A row's icon.
  var square: String { isUTF8 ? "■" : "*" }

  /// A switch of three cells.
  func knob(_ state: SwitchState) -> String {
    switch state {
    case .on: isUTF8 ? "━━●" : "--@"
    case .off: isUTF8 ? "○━━" : "o--"
    case .mixed: isUTF8 ? "━◐━" : "-%-"
    case .unknown: isUTF8 ? "╌?╌" : " ? "
    }
  }
}
