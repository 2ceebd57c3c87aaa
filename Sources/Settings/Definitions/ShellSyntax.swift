// SPDX-License-Identifier: MIT

/// Finds what in a command line only a shell would understand. None reads it, so what is right at
/// a prompt comes to the program as it stands.
///
/// Quotes count as a shell has them: in `'…'` nothing has a meaning, in `"…"` what is put in place
/// of something does. What follows the name of a shell is left to that.
struct ShellSyntax {
  private static let shells: Set = ["sh", "bash", "dash", "zsh", "ksh", "fish", "busybox"]

  /// A word of the command line, its quotes taken off.
  fileprivate struct Word {
    var text: [UInt8] = []
    /// What of it stands in no quotes.
    var bare: [UInt8] = []
    /// What of it a shell would look for `$` in.
    var expandable: [UInt8] = []
  }

  private var words: [Word] = []

  private init(_ text: String) {
    var word: Word?
    var quote: UInt8?
    var isEscaped = false
    for byte in text.utf8 {
      if isEscaped {
        isEscaped = false
        word = word ?? Word()
        word?.text.append(byte)
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
        word = word ?? Word()
      } else if quote == nil, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
        if let word { words.append(word) }
        word = nil
      } else {
        word = word ?? Word()
        word?.text.append(byte)
        if quote == nil { word?.bare.append(byte) }
        if quote != UInt8(ascii: "'") { word?.expandable.append(byte) }
      }
    }
    if let word { words.append(word) }
  }

  /// The first word of a command line that is meant for a shell; nil where there is none.
  static func firstWord(in text: String) -> String? {
    for word in ShellSyntax(text).words {
      let shown = String(decoding: word.text, as: UTF8.self)
      if shells.contains(shown.split(separator: "/").last.map(String.init) ?? "") { return nil }
      if word.isOperator || word.isExpanded { return shown }
    }
    return nil
  }
}

extension ShellSyntax.Word {
  /// Whether it joins commands, or leads one's output elsewhere.
  fileprivate var isOperator: Bool {
    let bare = String(decoding: bare, as: UTF8.self)
    // A semicolon by itself may be an argument, as of find(1).
    let endsCommand = bare.utf8.count > 1 && bare.utf8.last == UInt8(ascii: ";")
    let afterNumber = bare.utf8.drop { isDigit($0) || $0 == UInt8(ascii: "&") }
    return bare.utf8.contains(UInt8(ascii: "|")) || bare == "&" || bare == "&&" || endsCommand
      || afterNumber.first == UInt8(ascii: ">")
  }

  /// Whether a shell would put something in place of it.
  fileprivate var isExpanded: Bool {
    let home = bare.first == UInt8(ascii: "~") && text.first == bare.first
    if home, bare.count == 1 || bare[1] == UInt8(ascii: "/") { return true }
    return expandable.indices.contains { index in
      if expandable[index] == UInt8(ascii: "`") { return true }
      guard expandable[index] == UInt8(ascii: "$"), index + 1 < expandable.count else {
        return false
      }
      let next = expandable[index + 1]
      return [UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "_")].contains(next)
        || (isAlphanumeric(next) && !isDigit(next))
    }
  }
}

extension RowFile {
  /// A warning for each command line that is written for a shell.
  var shellWarnings: [ConfigError] {
    groups.flatMap { group in
      group.commandLines.compactMap { entry in
        guard let text = try? RowFile.text(entry.value),
          let word = ShellSyntax.firstWord(in: text)
        else { return nil }
        return ConfigError(
          file: entry.place.file, line: entry.place.line,
          message: "\(entry.key) has \(quoted(word)) in it, which is a shell's to understand, and "
            + "none reads it; for one write sh -c '…'")
      }
    }
  }
}

extension RowFile.Group {
  /// The entries that are command lines. In a drop-in that does not say the type, those that are
  /// of no other.
  fileprivate var commandLines: [RowFile.Entry] {
    let keys: [String]
    switch entries.first(where: { $0.key == "Type" })?.value {
    case _ where name == "Row": keys = ["RunOnChange"]
    case BackendType.command.rawValue: keys = ["State", "On", "Off", "Watch"]
    case nil: keys = ["State", "Watch"]
    default: keys = []
    }
    return entries.filter { keys.contains($0.key) && $0.locale.isEmpty }
  }
}
