// SPDX-License-Identifier: MIT

import EventLoop
import Settings
import System

/// A program that was asked for, for as long as this is kept.
@MainActor
package final class ProgramRun {
  let isUrgent: Bool
  private let runner: ProgramRunner
  private let loop: EventLoop
  private let arguments: [String]
  private let purpose: ProgramPurpose
  private let timeout: Duration
  private var completion: ProgramRunner.Completion?
  private var program: RunningProgram?
  private var deadline: Timer?
  private var isLate = false
  private var output = CappedBytes()
  private var error = CappedBytes()

  init(
    _ runner: ProgramRunner, _ arguments: [String], for purpose: ProgramPurpose,
    timeout: Duration, urgent: Bool, loop: EventLoop,
    _ completion: @escaping ProgramRunner.Completion
  ) {
    self.runner = runner
    self.loop = loop
    self.arguments = arguments
    self.purpose = purpose
    self.timeout = timeout
    self.completion = completion
    isUrgent = urgent
  }

  isolated deinit {
    program?.terminate()
  }

  /// - Parameter ended: called when the program, wanted or not, is no more, or never was.
  func start(_ ended: @escaping () -> Void) {
    do throws(Problem) {
      program = try runner.start(
        arguments, for: purpose, timeout: timeout,
        read: { [weak self] stream, bytes in
          if stream == .output { self?.output.append(bytes) } else { self?.error.append(bytes) }
        },
        ended: { [weak self] outcome in
          ended()
          self?.end(outcome)
        })
      deadline = loop.after(timeout) { [weak self] in self?.stop() }
    } catch {
      ended()
      finish(.failure(error))
    }
  }

  /// The program has had its time.
  private func stop() {
    isLate = true
    program?.terminate()
    // What SIGKILL does not end either hangs in the kernel, for who knows how long.
    deadline = loop.after(runner.grace * 2) { [weak self] in self?.finishLate() }
  }

  private func end(_ outcome: Result<ExitStatus, Problem>) {
    program = nil
    switch outcome {
    case .failure(let problem): finish(.failure(problem))
    case .success where isLate: finishLate()
    case .success(let status):
      finish(
        .success(ProgramResult(status: status, output: output.bytes, error: error.bytes)))
    }
  }

  private func finishLate() {
    finish(
      .failure(
        Problem(.timeout, "\(arguments[0]) did not end within \(timeout.inSeconds) s")))
  }

  private func finish(_ result: Result<ProgramResult, Problem>) {
    let completion = completion
    (self.completion, deadline) = (nil, nil)
    completion?(result)
  }
}

/// The first 64 KiB of what comes; the rest is let go.
private struct CappedBytes {
  private static let limit = 65536
  private(set) var bytes: [UInt8] = []

  mutating func append(_ more: [UInt8]) {
    bytes += more.prefix(Self.limit - bytes.count)
  }
}
