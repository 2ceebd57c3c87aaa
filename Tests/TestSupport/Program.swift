// SPDX-License-Identifier: MIT

import CLinux
import Glibc
package import System

/// A program that a test runs, in a process group of its own. Dropped, it is killed with all that
/// it started; it can't outlive the test process either.
///
/// It is reaped only then, so that its number and its group stay its own until the end.
package final class Program {
  /// One of the two streams that a program writes.
  package enum Stream: Hashable, Sendable {
    case output, error
  }

  /// The program and what it was told.
  package let arguments: [String]
  private let process: ChildProcess
  private let guardian: Guardian
  private var input: FileDescriptor?
  private let captured: [Stream: CapturedStream]

  /// Starts the program with a clean environment (PATH, LC_ALL=C.UTF-8, what a sanitizer or a
  /// profile needs; nothing of D-Bus or XDG) plus `environment`.
  /// - Parameter hasInput: whether `write` is going to be used; it reads /dev/null else.
  package init(
    _ arguments: [String], environment: [String: String] = [:], directory: String? = nil,
    hasInput: Bool = false
  ) throws {
    self.arguments = arguments
    guardian = try Guardian.shared.get()
    var inputPipe: Pipe? = hasInput ? try Pipe() : nil
    let (output, error) = (try CapturedStream(), try CapturedStream())
    let inputStream: ChildProcess.Stream =
      if let raw = inputPipe?.reader?.raw { .descriptor(raw) } else { .null }
    process = try ChildProcess.spawn(
      arguments: arguments,
      environment: Self.cleanEnvironment.merging(environment) { $1 },
      directory: directory, group: .own, input: inputStream,
      output: .descriptor(output.writerRaw), error: .descriptor(error.writerRaw))
    input = inputPipe?.writer.take()
    captured = [.output: output, .error: error]
    output.closeWriter()
    error.closeWriter()
    try guardian.add(process.processID)
  }

  deinit {
    try? process.signalGroup(SIGKILL)
    guardian.drop(process.processID)
    _ = try? process.wait()
  }

  /// What every program gets.
  package static var cleanEnvironment: [String: String] {
    let kept: Set<String> = [
      "PATH", "TMPDIR", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "ASAN_OPTIONS", "TSAN_OPTIONS",
      "UBSAN_OPTIONS",
    ]
    return Environment.all.filter { kept.contains($0.key) }
      .merging(["LC_ALL": "C.UTF-8"]) { $1 }
  }

  package var processID: Int32 { process.processID }

  /// Readable once the program has ended, for a test that turns a loop meanwhile.
  package var exitDescriptor: Int32 { process.descriptor.raw }

  /// Sends the program a signal; one that has ended takes it without effect.
  package func send(_ signal: Int32) throws {
    try process.signal(signal)
  }

  /// Writes to the program's standard input.
  package func write(_ text: String) throws {
    try input?.writeAll(Array(text.utf8))
  }

  /// Closes the program's standard input, so that it reads the end.
  package func closeInput() {
    input = nil
  }

  /// Closes the reading end of a stream: the program's next write meets EPIPE.
  package func stopReading(_ stream: Stream) {
    captured[stream]?.closeReader()
  }
}

// MARK: - What it wrote and how it ended

extension Program {
  /// All that was written to a stream so far.
  package func text(_ stream: Stream = .output) -> String {
    captured[stream]?.readAvailable()
    return captured[stream]?.text ?? ""
  }

  /// How the program ended; nil while it runs.
  package var exitStatus: ExitStatus? {
    var code: Int32 = 0
    var status: Int32 = 0
    let options = WEXITED | WNOHANG | WNOWAIT
    guard clinux_wait_pidfd(process.descriptor.raw, options, &code, &status) == 0 else {
      return nil
    }
    switch code {
    case 0: return nil
    case Int32(CLD_EXITED): return .exited(status)
    default: return .signalled(status)
    }
  }

  /// Waits for the next line after the one that was last waited for, of those that match, and
  /// returns it without its newline. Lines between are passed over.
  @discardableResult
  package func waitForLine(
    on stream: Stream = .output, within limit: Duration = patience,
    where matches: (String) -> Bool
  ) throws -> String {
    try wait("a matching line", within: limit) {
      while let line = captured[stream]?.nextLine() {
        if matches(line) { return line }
      }
      return nil
    }
  }

  /// Waits for the next line that contains `part`; see `waitForLine(on:within:where:)`.
  @discardableResult
  package func waitForLine(
    containing part: String, on stream: Stream = .output, within limit: Duration = patience
  ) throws -> String {
    try waitForLine(on: stream, within: limit) { line in
      part.isEmpty || line.utf8.indices.contains { line.utf8[$0...].starts(with: part.utf8) }
    }
  }

  /// Waits until the program ends. What it wrote is read meanwhile, so that it never waits for us.
  @discardableResult
  package func waitForExit(within limit: Duration = patience) throws -> ExitStatus {
    try wait("its end", within: limit) { exitStatus }
  }

  /// Reads until `condition` has an answer; the program's end is the last chance for that.
  private func wait<Value>(
    _ what: String, within limit: Duration, for condition: () -> Value?
  ) throws -> Value {
    let deadline = Deadline(after: limit)
    while true {
      // Its end is looked for first: all that it wrote is in the pipes by then.
      let hasEnded = exitStatus != nil
      for stream in captured.values { stream.readAvailable() }
      if let value = condition() { return value }
      if hasEnded || deadline.hasPassed { throw failure(what, within: limit) }
      try deadline.waitForAny(
        of: [process.descriptor.raw] + captured.values.compactMap(\.readerRaw))
    }
  }

  private func failure(_ what: String, within limit: Duration) -> TestFailure {
    let end = exitStatus.map { "it \($0)" } ?? "it still runs after \(limit)"
    return TestFailure(
      """
      waited for \(what) of \(arguments.joined(separator: " ")), and \(end)
      --- standard output
      \(text(.output))
      --- standard error
      \(text(.error))
      """)
  }
}

// MARK: - Running to the end

extension Program {
  /// What a program that has ended left.
  package struct Outcome: Hashable, Sendable {
    package let status: ExitStatus
    package let output: String
    package let error: String

    package init(status: ExitStatus, output: String, error: String) {
      self.status = status
      self.output = output
      self.error = error
    }
  }

  /// Runs a program to its end, with `input` as all it reads.
  package static func run(
    _ arguments: [String], environment: [String: String] = [:], directory: String? = nil,
    input: String? = nil, within limit: Duration = patience
  ) throws -> Outcome {
    let program = try Program(
      arguments, environment: environment, directory: directory, hasInput: input != nil)
    if let input { try program.write(input) }
    program.closeInput()
    let status = try program.waitForExit(within: limit)
    return Outcome(status: status, output: program.text(.output), error: program.text(.error))
  }
}
