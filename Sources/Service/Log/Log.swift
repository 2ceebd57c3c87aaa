// SPDX-License-Identifier: MIT

import Settings
import System

/// The daemon's log: lines on standard error, which systemd hands to the journal; those with fields
/// of their own go to the journal itself, where there is one.
///
/// Levels are syslog's, by the names and numbers of sd-daemon(3) and of LogControl1's LogLevel.
/// Under the journal each line carries its level as a `<N>` prefix; on a terminal it does not.
package final class Log {
  /// A level of syslog(3); the most urgent is the smallest.
  package nonisolated enum Level: Int, Comparable, CaseIterable, Sendable {
    case emergency, alert, critical, error, warning, notice, info, debug

    /// The name in LogControl1's LogLevel and in `--log-level`.
    package var name: String {
      switch self {
      case .emergency: "emerg"
      case .alert: "alert"
      case .critical: "crit"
      case .error: "err"
      case .warning: "warning"
      case .notice: "notice"
      case .info: "info"
      case .debug: "debug"
      }
    }

    /// The level of this name, or nil.
    package init?(name: some StringProtocol) {
      guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
      self = level
    }

    package static func < (left: Level, right: Level) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// Lines less urgent than this are left out.
  package var level: Level
  /// Which refusals are worth a line.
  var refusals = RefusalLimit()
  private let isJournal: Bool
  /// Where it goes, by the names of org.freedesktop.LogControl1(5).
  var target: String { isJournal ? "journal" : "console" }
  private let journal: JournalSocket?
  /// Lines that nobody took since the last one that was.
  private var lost = 0

  /// A log to standard error.
  package init(level: Level) {
    self.level = level
    isJournal = Self.leadsToJournal
    journal = isJournal ? JournalSocket() : nil
  }

  /// Whether standard error is the stream that systemd.exec(5) says leads to the journal: one that
  /// a parent had may be told of in the environment all the same.
  private static var leadsToJournal: Bool {
    guard let stream = Environment.value("JOURNAL_STREAM"),
      let status = try? StandardStreams.errorStatus()
    else { return false }
    return stream == "\(status.device):\(status.inode)"
  }

  package func error(_ text: @autoclosure () -> String) { write(.error, text) }
  package func warning(_ text: @autoclosure () -> String) { write(.warning, text) }
  package func notice(_ text: @autoclosure () -> String) { write(.notice, text) }
  package func info(_ text: @autoclosure () -> String) { write(.info, text) }
  package func debug(_ text: @autoclosure () -> String) { write(.debug, text) }

  /// A line with fields for those who search the journal.
  func entry(_ level: Level, _ text: String, _ fields: [JournalEntry.Field]) {
    guard level <= self.level else { return }
    let line = text.printable
    if journal?.send(JournalEntry(level, line, fields)) == true { return }
    write(level) { line }
  }

  private func write(_ level: Level, _ text: () -> String) {
    guard level <= self.level else { return }
    if lost > 0, put(.warning, "\(lost) lines are missing here, as nobody read them") { lost = 0 }
    // A name from the bus or from a file must not forge a line of its own.
    guard lost == 0, put(level, text().printable) else {
      lost += 1
      return
    }
  }

  /// Says whether the line was taken. Nobody on the bus is kept waiting for a reader of the log.
  private func put(_ level: Level, _ line: String) -> Bool {
    let prefix = isJournal ? "<\(level.rawValue)>" : "toggled: "
    do throws(OutputError) {
      try StandardError.writeWithoutWaiting("\(prefix)\(line)\n")
      return true
    } catch {
      // There is nobody left to tell when standard error is gone.
      return error != .failed(.wouldBlock)
    }
  }
}
