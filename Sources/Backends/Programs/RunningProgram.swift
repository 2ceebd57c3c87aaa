// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Settings
import System

/// A program that runs, without a shell, in a process group of its own, its output read as it
/// comes.
///
/// What it leaves behind in its group is killed as it ends, and its pipes are read no further than
/// what is in them by then: a grandchild that holds them keeps nobody waiting.
final class RunningProgram {
  /// The streams that are read.
  enum Stream {
    case output, error
  }

  private let loop: EventLoop
  private var watch: ChildWatch?
  private var readers: [PipeReader] = []
  private var killing: Timer?

  /// How long a program has from SIGTERM to SIGKILL.
  static let grace = Duration.seconds(1)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - pause: how long not to read on after each piece of its output: a program that writes
  ///     faster waits for us. Nil to let it write as fast as it can.
  ///   - read: called with what it writes, in pieces.
  ///   - ended: called once, after the last of that.
  init(
    _ arguments: [String], environment: [String: String], on loop: EventLoop,
    pause: Duration? = nil, read: @escaping (Stream, [UInt8]) -> Void,
    ended: @escaping (ExitStatus) -> Void
  ) throws(Problem) {
    self.loop = loop
    do throws(Errno) {
      var output = try Pipe()
      var error = try Pipe()
      let child = try ChildProcess.spawn(
        arguments: arguments, environment: environment, directory: "/", group: .own,
        output: .descriptor(output.writeEnd), error: .descriptor(error.writeEnd))
      output.writer = nil
      error.writer = nil
      // The child is the loop's, and killed, whatever fails from here on.
      watch = try loop.child(child, takingGroup: true) { [weak self] status in
        guard let self else { return }
        for reader in readers { reader.drain() }
        (watch, killing, readers) = (nil, nil, [])
        ended(status)
      }
      if let end = output.reader.take() {
        readers.append(try PipeReader(end, on: loop, pause: pause) { read(.output, $0) })
      }
      if let end = error.reader.take() {
        readers.append(try PipeReader(end, on: loop, pause: pause) { read(.error, $0) })
      }
    } catch {
      kill()
      throw Self.problem(error, arguments[0], environment)
    }
  }

  /// Asks the program and its group to end, and kills them after a second.
  func terminate() {
    guard let watch else { return }
    try? watch.signalGroup(SIGTERM)
    killing = killing ?? loop.after(Self.grace) { [weak self] in self?.kill() }
  }

  /// Kills the program and its group.
  func kill() {
    try? watch?.signalGroup(SIGKILL)
  }

  private static func problem(
    _ error: Errno, _ program: String, _ environment: [String: String]
  ) -> Problem {
    switch error {
    case .noSuchFileOrDirectory where !program.utf8.contains(UInt8(ascii: "/")):
      Problem(
        .notFound,
        "there is no program \(program) in \(environment["PATH"] ?? "PATH"); install it, or give "
          + "its path")
    case .noSuchFileOrDirectory where Files.exists(program):
      Problem(.notFound, "can't run \(program): the program on its first line is missing")
    case .noSuchFileOrDirectory, .notDirectory:
      Problem(.notFound, "there is no program \(program)")
    case .permissionDenied, .notPermitted:
      Problem(.noAccess, "can't run \(program): \(error); is it executable?")
    default:
      Problem(.failed, "can't run \(program): \(error)")
    }
  }
}

/// Reads a pipe as things come.
private final class PipeReader {
  private let loop: EventLoop
  private let pause: Duration?
  private let read: ([UInt8]) -> Void
  private var watch: DescriptorWatch?
  private var pauseTimer: Timer?
  private let end: FileDescriptor

  /// As much as a pipe holds, pipe(7).
  private static let pieceSize = 65536

  init(
    _ end: consuming FileDescriptor, on loop: EventLoop, pause: Duration?,
    _ read: @escaping ([UInt8]) -> Void
  ) throws(Errno) {
    try end.setNonBlocking()
    self.loop = loop
    self.pause = pause
    self.read = read
    self.end = end
    watch = try loop.watch(self.end.raw, for: .readable) { [weak self] _ in self?.look() }
  }

  /// Reads what is in the pipe now and no more, so that nobody who goes on writing is waited for.
  func drain() {
    guard watch != nil else { return }
    readOnce()
    (watch, pauseTimer) = (nil, nil)
  }

  private func look() {
    readOnce()
    guard let pause, let watch else { return }
    watch.update([])
    pauseTimer = loop.after(pause) { [weak self] in self?.watch?.update(.readable) }
  }

  private func readOnce() {
    do throws(Errno) {
      let bytes = try end.read(upTo: Self.pieceSize)
      if bytes.isEmpty { watch = nil } else { read(bytes) }
    } catch {
      if error != .wouldBlock { watch = nil }
    }
  }
}
