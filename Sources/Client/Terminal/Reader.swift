// SPDX-License-Identifier: MIT

import Glibc
import Settings
import System

/// Who reads standard output: their language, and what their terminal can show.
struct Reader {
  let locale: Locale
  let palette: Palette
  let signs: Signs
  /// The cells that a line may take on the terminal, or nil where a program or a file reads.
  let columns: Int?

  /// The reader of this process's output, by its environment.
  init(colour: Bool) {
    locale = Self.locale
    signs = Signs(environment: Environment.value)
    let isTerminal = StandardOutput.isTerminal
    palette = Palette(
      ColourDepth(wanted: colour, isTerminal: isTerminal, environment: Environment.value))
    columns = isTerminal ? Self.terminalColumns.map { min($0, Self.widestLine) } : nil
  }

  /// The language for texts, by the environment.
  static var locale: Locale { Locale(environment: Environment.value) }

  /// Longer lines are hard to read, however wide the terminal is.
  private static let widestLine = 100

  /// COLUMNS where it is set, else what the terminal says (TIOCGWINSZ).
  private static var terminalColumns: Int? {
    if let set = Environment.value("COLUMNS").flatMap({ Int($0) }), set > 0 { return set }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// A moment in the reader's time zone, such as `Mon 2026-11-30 18:02:00`; the names of days are
  /// English, as all of our own words.
  static func localTime(microseconds: UInt64) -> String {
    var seconds = time_t(clamping: microseconds / 1_000_000)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return "?" }
    var buffer = [CChar](repeating: 0, count: 64)
    let length = strftime(&buffer, buffer.count, "%a %Y-%m-%d %H:%M:%S", &parts)
    return String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
