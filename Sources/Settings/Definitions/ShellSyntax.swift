// SPDX-License-Identifier: MIT

/// Finds what in a command line only a shell would understand. None reads it, so what is right at
/// a prompt comes to the program as it stands.
///
/// Quotes count as a shell has them: in `'…'` nothing has a meaning, in `"…"` what is put in place
/// of something does. What follows the name of a shell is left to that.
enum ShellSyntax {
  private static let shells: Set = ["sh", "bash", "dash", "zsh", "ksh", "fish", "busybox"]

  /// The first word of a command line that is meant for a shell; nil where there is none, or it is
  /// no command line.
  static func firstWord(in text: String) -> String? {
    guard let words = try? CommandSyntax.words(of: text) else { return nil }
    for (index, word) in words.enumerated() {
      let shown = String(decoding: word.bytes, as: UTF8.self)
      if shells.contains(shown.split(separator: "/").last.map(String.init) ?? "") { return nil }
      if index == 0, word.isAssignment { return shown }
      if word.isOperator || word.isExpanded || word.isPattern { return shown }
    }
    return nil
  }
}

extension CommandWord {
  /// What of it comes before any quote or escape.
  private var beginning: ArraySlice<UInt8> {
    bytes.prefix(writings.prefix { $0 == .bare }.count)
  }

  /// Whether it joins commands, or leads one's output or input elsewhere.
  fileprivate var isOperator: Bool {
    let bare = zip(bytes, writings).filter { $1 == .bare }.map(\.0)
    // A semicolon by itself may be an argument, as of find(1).
    let endsCommand = bare.count > 1 && bare.last == UInt8(ascii: ";")
    let joins = bare.elementsEqual("&".utf8) || bare.elementsEqual("&&".utf8)
    let afterNumber = bare.first { !isDigit($0) && $0 != UInt8(ascii: "&") }
    // `<true>` is a value of GVariant's text, as gdbus(1) takes it.
    let isVariant = bare.first == UInt8(ascii: "<") && bare.last == UInt8(ascii: ">")
    let redirects = !isVariant && afterNumber.map("<>".utf8.contains) ?? false
    return bare.contains(UInt8(ascii: "|")) || joins || endsCommand || redirects
  }

  /// Whether it sets a variable, where the program should be.
  fileprivate var isAssignment: Bool {
    let name = beginning.prefix { isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
    guard let first = name.first, !isDigit(first) else { return false }
    return beginning.dropFirst(name.count).first == UInt8(ascii: "=")
  }

  /// Whether a shell would put something in place of it.
  fileprivate var isExpanded: Bool {
    let home = beginning.starts(with: "~".utf8)
    if home, bytes.count == 1 || beginning.starts(with: "~/".utf8) { return true }
    return bytes.indices.contains { index in
      if writings[index] == .literal { return false }
      if bytes[index] == UInt8(ascii: "`") { return true }
      let next = index + 1
      guard bytes[index] == UInt8(ascii: "$"), next < bytes.count, writings[next] != .literal else {
        return false
      }
      return "{(_".utf8.contains(bytes[next])
        || (isAlphanumeric(bytes[next]) && !isDigit(bytes[next]))
    }
  }

  /// Whether a shell would put the files there that fit it. That is only sure of a path: `*.x` or
  /// `http://x/?a` is as likely meant for the program, which gets it.
  fileprivate var isPattern: Bool {
    let sign = bytes.indices.first { writings[$0] == .bare && "*?[".utf8.contains(bytes[$0]) }
    guard let sign, beginning.starts(with: "/".utf8) else { return false }
    return bytes[..<sign].dropFirst().contains(UInt8(ascii: "/"))
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
