// SPDX-License-Identifier: MIT

import Glibc
import Settings
import System

/// Where togglectl's words go, and what it will exit with.
final class Console {
  /// The worst code of all that was reported.
  private(set) var code = ExitCode.done

  init() {}

  /// Writes text for standard output in one go. When the reader is gone the process ends by
  /// SIGPIPE, as cat's does.
  func print(_ text: String) throws(Failure) {
    if text.isEmpty { return }
    do throws(OutputError) {
      try StandardOutput.write(text)
    } catch {
      switch error {
      case .closed: Self.endBySIGPIPE()
      case .failed(let reason): throw .output("\(reason)")
      }
    }
  }

  /// Says on standard error what went wrong, and keeps its code if it is the worst so far.
  func report(_ failure: Failure) {
    let report = Report(failure)
    // Where standard error can't be written to there is nobody left to tell.
    try? StandardError.writeLine("togglectl: \(report.text)")
    end(with: report.code)
  }

  /// Says something on standard error that is no failure.
  func note(_ text: String) {
    try? StandardError.writeLine(text.printable)
  }

  /// Does something for each row: one that fails is reported, and the next is tried. Without a
  /// daemon, a bus or a standard output there is no use in trying the others.
  func forEach(
    _ rows: [String], _ body: (String) throws(Failure) -> Void
  ) throws(Failure) {
    for row in rows {
      do throws(Failure) {
        try body(row)
      } catch {
        switch error {
        case .noDaemon, .lostBus, .output, .local: throw error
        case .usage, .ambiguous, .noSuchRow, .answered: report(error)
        }
      }
    }
  }

  /// Keeps a code that needs no words, if it is the worst so far.
  func end(with code: ExitCode) {
    self.code = .worse(self.code, code)
  }

  /// Ends the process by SIGPIPE, which libdbus has ignored.
  static func endBySIGPIPE() -> Never {
    Signals.endProcess(by: SIGPIPE)
  }
}
