// SPDX-License-Identifier: MIT

/// What is wrong with one file, collected while it is read.
///
/// A file of random bytes is wrong on every line, and all findings travel over the bus: past
/// `limit` they are only counted.
struct Findings {
  /// How many findings of one file are kept.
  static let limit = 50

  private(set) var errors: [ConfigError] = []
  private var uncounted = 0

  /// Whether nothing was found.
  var isEmpty: Bool { errors.isEmpty }

  /// Notes `message` at `place`.
  mutating func add(_ place: Place, _ message: @autoclosure () -> String) {
    guard errors.count < Self.limit else {
      uncounted += 1
      return
    }
    errors.append(ConfigError(file: place.file, line: place.line, message: message()))
  }

  /// The findings, and how many more there are.
  func all(in file: String) -> [ConfigError] {
    guard uncounted > 0 else { return errors }
    let rest = ConfigError(
      file: file, line: 0,
      message: "\(uncounted) more findings; only the first \(Self.limit) are listed")
    return errors + [rest]
  }
}

/// A line of a file.
struct Place: Hashable {
  var file: String
  var line: Int
}

/// `text` as messages show it: in quotes, short, without control characters.
func quoted(_ text: some StringProtocol) -> String {
  "'" + shortened(text) + "'"
}

/// `text` short enough for a message and without control characters.
func shortened(_ text: some StringProtocol) -> String {
  var shown = ""
  for (index, scalar) in text.unicodeScalars.enumerated() {
    if index == 60 {
      shown += "…"
      break
    }
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0: shown += "?"
    default: shown.unicodeScalars.append(scalar)
    }
  }
  return shown
}

/// `words` as messages list them: `a, b or c`.
func listed(_ words: [String]) -> String {
  guard words.count > 1, let last = words.last else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " or " + last
}
