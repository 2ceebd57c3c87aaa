// SPDX-License-Identifier: MIT

import DBus
import Glibc
import Settings
import System

/// The program that asks for a password on this terminal when polkit wants one of this process:
/// pkttyagent(1), as a fallback to the agent of a desktop. It ends with this object, and with this
/// process even if that is killed.
final class PasswordAgent {
  /// Why there can't be one.
  nonisolated enum Obstacle: Error, Hashable, Sendable {
    /// There is no terminal to ask on.
    case noTerminal
    /// The terminal belongs to other programs now.
    case inBackground
    /// This program, which it takes, is not installed.
    case missing(program: String)
    /// It can't be started.
    case notStarted(Errno)
    /// It runs, and polkit does not get to know of it.
    case notReady
  }

  /// How long it may take until polkit knows of it.
  private static let startTime = Duration.seconds(5)
  /// How many bytes are read of what it says is wrong.
  private static let complaintLimit = 4096

  private let process: ChildProcess
  /// Where it says what is wrong. It asks on the terminal itself.
  private let errors: Pipe
  private var said: [UInt8] = []

  /// Starts one, and returns once polkit knows of it or it has ended; seconds later at most.
  init() throws(Obstacle) {
    try Self.requireTerminal()
    // setpriv leaves the agent as our child, with a parent-death signal; the agent restores the
    // terminal when it gets that one.
    let arguments = [
      "setpriv", "--pdeathsig", "TERM", "pkttyagent", "--process", "\(getpid())", "--fallback",
      "--notify-fd", "\(STDOUT_FILENO)",
    ]
    for program in [arguments[0], arguments[3]] {
      guard Files.executable(program, in: Environment.value("PATH") ?? "/usr/bin:/bin") != nil
      else { throw .missing(program: program) }
    }
    let isReady: Bool
    do throws(Errno) {
      var notice = try Pipe()
      // It is read once the agent has failed; until then nobody is to wait for the other.
      var errors = try Pipe(nonBlocking: true)
      process = try ChildProcess.spawn(
        arguments: arguments, input: .null, output: .descriptor(notice.writeEnd),
        error: .descriptor(errors.writeEnd))
      notice.writer = nil
      errors.writer = nil
      self.errors = errors
      // It closes its end, and writes nothing there, when polkit knows of it.
      isReady = try Pipe.isReadable(notice.readEnd, within: Self.startTime)
    } catch {
      throw .notStarted(error)
    }
    guard isReady else {
      // It has asked nothing, so the terminal is as it was; and it may not listen any more.
      try? process.signal(SIGKILL)
      throw .notReady
    }
  }

  isolated deinit {
    stop()
  }

  /// What it said is wrong, in short; nil where it said nothing.
  var complaint: String? {
    let room = Self.complaintLimit - said.count
    switch errors.reader {
    case .some(let end) where room > 0: said += (try? end.read(upTo: room)) ?? []
    default: break
    }
    let lines = String(decoding: said, as: UTF8.self).split(whereSeparator: \.isNewline)
    // GLib's messages begin with lines that are blank, or of asterisks.
    let line = lines.first { $0.contains(where: \.isLetter) }
    return line.map { String($0).printable.shortened(to: 200) }
  }

  /// Ends the agent, and returns when the terminal is as it was before its question.
  func stop() {
    try? process.signal(SIGTERM)
    // One that was stopped with ^Z takes the signal only when it goes on.
    try? process.signal(SIGCONT)
    _ = try? process.wait()
  }

  /// Throws where this process is in the foreground of no terminal.
  private static func requireTerminal() throws(Obstacle) {
    guard let terminal = try? FileDescriptor.open("/dev/tty", .writeOnly) else {
      throw .noTerminal
    }
    guard tcgetpgrp(terminal.raw) == getpgrp() else { throw .inBackground }
  }
}

extension PasswordAgent.Obstacle: CustomStringConvertible {
  nonisolated var description: String {
    switch self {
    case .noTerminal: "there is no terminal to ask on"
    case .inBackground: "only what runs in the foreground can ask; try fg"
    case .missing("pkttyagent"): "pkttyagent, which asks, is not installed; polkitd has it"
    case .missing(let program): "\(program), which it takes to ask, is not installed"
    case .notStarted(let error): "pkttyagent, which asks, can't be started: \(error)"
    case .notReady: "pkttyagent, which asks, does not get ready; see systemctl status polkit"
    }
  }
}
