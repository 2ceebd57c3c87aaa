// SPDX-License-Identifier: MIT

import EventLoop
import Settings
import System

/// Keeps a program running that prints a line whenever there may be something new.
///
/// What it prints is not read for its meaning, nor kept. A program that ends is started again after
/// a while, which doubles each time, up to a minute; one that had lived longer than its wait was
/// starts from a second again.
final class ProgramFollower {
  private let runner: ProgramRunner
  private let arguments: [String]
  private let row: String
  private let loop: EventLoop
  private let changed: () -> Void
  private var program: RunningProgram?
  private var timer: Timer?
  private var wait = ProgramFollower.firstWait
  private var startTime = Duration.zero
  private var complaint: [UInt8] = []

  /// How long its output is left in the pipe after each piece: the price of a flood.
  private static let pause = Duration.milliseconds(100)
  private static let firstWait = Duration.seconds(1)
  private static let longestWait = Duration.seconds(60)
  /// A program that has lived this long, or has printed something, runs.
  private static let provingTime = Duration.seconds(1)

  /// Why nothing tells of changes now; nil while the program runs.
  private(set) var problem: Problem?

  /// - Parameter changed: called after each piece of output, and when `problem` has changed.
  init(
    _ arguments: [String], of row: String, runner: ProgramRunner, loop: EventLoop,
    changed: @escaping () -> Void
  ) {
    self.runner = runner
    self.arguments = arguments
    self.row = row
    self.loop = loop
    self.changed = changed
    start()
  }

  /// Looks for a program again that was not there.
  func tryAgain() {
    if program == nil, timer == nil { start() }
  }

  /// Ends the program.
  func stop() {
    program?.terminate()
    (program, timer) = (nil, nil)
  }

  private func start() {
    timer = nil
    complaint = []
    startTime = EventLoop.now
    do throws(Problem) {
      program = try runner.start(
        arguments, for: ProgramPurpose(.watch, of: row), pause: Self.pause,
        read: { [weak self] in self?.take($0, $1) },
        ended: { [weak self] in self?.end($0) })
      // Silence is what a program that works has to say at first; what changed before it was ready
      // it does not tell.
      timer = loop.after(Self.provingTime) { [weak self] in self?.recover() }
    } catch {
      fail(error)
    }
  }

  private func take(_ stream: RunningProgram.Stream, _ bytes: [UInt8]) {
    guard program != nil else { return }
    switch stream {
    case .output:
      guard bytes.contains(UInt8(ascii: "\n")) else { return }
      if problem == nil { changed() } else { recover() }
    case .error:
      // What it says last is why it ends.
      complaint = Array((complaint + bytes).suffix(4096))
    }
  }

  private func recover() {
    timer = nil
    problem = nil
    changed()
  }

  private func end(_ outcome: Result<ExitStatus, Problem>) {
    guard program != nil else { return }
    program = nil
    let status: ExitStatus
    switch outcome {
    case .success(let how): status = how
    case .failure(let problem): return fail(problem)
    }
    let lastWords = complaint.split(separator: UInt8(ascii: "\n")).last.flatMap {
      firstLine(of: Array($0))
    }
    fail(
      Problem(
        .failed,
        "nothing tells of changes: Watch's \(arguments[0]) \(status)"
          + (lastWords.map { ": \($0)" } ?? "")))
  }

  private func fail(_ problem: Problem) {
    if EventLoop.now - startTime > wait { wait = Self.firstWait }
    timer = nil
    // Time alone installs nothing.
    if problem.reason != .notFound {
      timer = loop.after(wait) { [weak self] in self?.start() }
      wait = min(wait * 2, Self.longestWait)
    }
    self.problem = problem
    changed()
  }
}
