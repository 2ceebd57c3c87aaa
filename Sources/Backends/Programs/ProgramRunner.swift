// SPDX-License-Identifier: MIT

import DBus
package import EventLoop
package import Settings
package import System

/// How a program ended, and what it had written by then.
package struct ProgramResult: Hashable, Sendable {
  /// How it ended.
  package let status: ExitStatus
  /// What it wrote to its standard output; at most 64 KiB of it.
  package let output: [UInt8]
  /// What it wrote to its standard error; at most 64 KiB of it.
  package let error: [UInt8]
  /// Whether it wrote more than that.
  package let isTruncated: Bool

  /// The first line of what it complained, as a person can read it; how it ended where it said
  /// nothing.
  package nonisolated var complaint: String {
    firstLine(of: error) ?? firstLine(of: output) ?? "\(status)"
  }
}

/// Runs programs for rows: without a shell, without a terminal, in English, each in a process group
/// of its own, so many at once and each for so long.
package final class ProgramRunner {
  /// Runs once, with the result or with why there is none.
  package typealias Completion = (Result<ProgramResult, Problem>) -> Void

  /// Where programs without a slash in their name are looked for.
  package nonisolated static let searchPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  private let loop: EventLoop
  private let environment: [String: String]
  private let limit: Int
  private var running: [ObjectIdentifier: RunningProgram] = [:]
  private var underWay = 0
  private var waiting: [ProgramRun] = []

  /// - Parameters:
  ///   - environment: what programs get besides their PATH and their language.
  ///   - limit: how many programs may run at once; the others wait, and their time runs.
  package init(
    loop: EventLoop, environment: [String: String] = Environment.all, limit: Int = 8
  ) {
    self.loop = loop
    self.limit = limit
    var environment = environment
    environment["PATH"] = Self.searchPath
    environment["LC_ALL"] = "C.UTF-8"
    // It would win over LC_ALL, as gettext(3) has it.
    environment["LANGUAGE"] = nil
    self.environment = environment
  }

  /// Runs a program; `completion` is called once, from a later turn of the loop, in `timeout` at
  /// the latest, unless the run is dropped before. A program that takes longer is ended.
  ///
  /// - Returns: what has to be kept until then: dropped, the program is ended.
  package func run(
    _ arguments: [String], timeout: Duration, _ completion: @escaping Completion
  ) -> ProgramRun {
    let run = ProgramRun(self, arguments, timeout: timeout, loop: loop, completion)
    waiting.append(run)
    loop.atEndOfTurn { [weak self] in self?.startWaiting() }
    return run
  }

  /// Starts a program that runs until it ends by itself or is dropped: `ProgramFollower`'s.
  func start(
    _ arguments: [String], read: @escaping (RunningProgram.Stream, [UInt8]) -> Void,
    ended: @escaping (ExitStatus) -> Void
  ) throws(Problem) -> RunningProgram {
    var key: ObjectIdentifier?
    let program = try RunningProgram(
      arguments, environment: environment, on: loop, read: read
    ) { [weak self] status in
      if let key { self?.running[key] = nil }
      ended(status)
    }
    key = ObjectIdentifier(program)
    running[ObjectIdentifier(program)] = program
    return program
  }

  /// Kills every program and its group: for the end of the process.
  package func finish() {
    waiting = []
    for program in running.values { program.kill() }
  }

  private func startWaiting() {
    while underWay < limit, !waiting.isEmpty {
      let run = waiting.removeFirst()
      guard run.isWanted else { continue }
      underWay += 1
      if !run.start({ [weak self] in self?.noteEnd() }) { underWay -= 1 }
    }
  }

  private func noteEnd() {
    underWay -= 1
    startWaiting()
  }
}

/// A program that was asked for.
@MainActor
package final class ProgramRun {
  private let runner: ProgramRunner
  private let arguments: [String]
  private var completion: ProgramRunner.Completion?
  private var program: RunningProgram?
  private var deadline: Timer?
  private var output = CappedBytes()
  private var error = CappedBytes()

  init(
    _ runner: ProgramRunner, _ arguments: [String], timeout: Duration, loop: EventLoop,
    _ completion: @escaping ProgramRunner.Completion
  ) {
    self.runner = runner
    self.arguments = arguments
    self.completion = completion
    deadline = loop.after(timeout) { [weak self] in
      self?.finish(
        .failure(Problem(.timeout, "\(arguments[0]) did not end within \(timeout.inSeconds) s")))
    }
  }

  isolated deinit {
    program?.terminate()
  }

  /// Whether somebody waits for the result.
  var isWanted: Bool { completion != nil }

  /// - Parameter ended: called when the program, wanted or not, is no more.
  /// - Returns: whether the program runs.
  func start(_ ended: @escaping () -> Void) -> Bool {
    do throws(Problem) {
      program = try runner.start(
        arguments,
        read: { [weak self] stream, bytes in
          if stream == .output { self?.output.append(bytes) } else { self?.error.append(bytes) }
        },
        ended: { [weak self] status in
          self?.end(status)
          ended()
        })
      return true
    } catch {
      finish(.failure(error))
      return false
    }
  }

  private func end(_ status: ExitStatus) {
    program = nil
    finish(
      .success(
        ProgramResult(
          status: status, output: output.bytes, error: error.bytes,
          isTruncated: output.isTruncated || error.isTruncated)))
  }

  private func finish(_ result: Result<ProgramResult, Problem>) {
    program?.terminate()
    (program, deadline) = (nil, nil)
    let completion = completion
    self.completion = nil
    completion?(result)
  }
}

/// The first 64 KiB of what comes; the rest is let go.
private struct CappedBytes {
  private static let limit = 65536
  private(set) var bytes: [UInt8] = []
  private(set) var isTruncated = false

  mutating func append(_ more: [UInt8]) {
    let taken = more.prefix(Self.limit - bytes.count)
    bytes += taken
    if taken.count < more.count { isTruncated = true }
  }
}

/// The first line with anything in it, of at most 200 characters, without what is no text.
nonisolated func firstLine(of bytes: [UInt8]) -> String? {
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    let scalars = String(decoding: line, as: UTF8.self).unicodeScalars.map {
      $0.properties.generalCategory == .control ? " " : $0
    }
    let words = String(String.UnicodeScalarView(scalars)).split(separator: " ")
    if !words.isEmpty { return words.joined(separator: " ").shortened(to: 200) }
  }
  return nil
}
