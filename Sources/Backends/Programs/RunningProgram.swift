// SPDX-License-Identifier: MIT

import EventLoop
import Settings
import System

/// A program that runs, without a shell, its output read as it comes.
///
/// What it leaves behind is killed as it ends, and its pipes are read no further than what is in
/// them by then: a grandchild that holds them keeps nobody waiting.
final class RunningProgram {
  /// The streams that are read.
  enum Stream {
    case output, error
  }

  private var program: (any HostedProgram)?
  private var readers: [PipeReader] = []

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - pause: how long not to read on after each piece of its output: a program that writes
  ///     faster waits for us. Nil to let it write as fast as it can.
  ///   - read: called with what it writes, in pieces.
  ///   - ended: called once, after the last of that.
  init(
    _ request: ProgramRequest, at host: any ProgramHost, on loop: EventLoop,
    pause: Duration? = nil, read: @escaping (Stream, [UInt8]) -> Void,
    ended: @escaping (Result<ExitStatus, Problem>) -> Void
  ) throws(Problem) {
    let output = try addReader(on: loop, pause) { read(.output, $0) }
    let error = try addReader(on: loop, pause) { read(.error, $0) }
    program = try host.start(request, output: output, error: error) { [weak self] outcome in
      guard let self else { return }
      for reader in readers { reader.drain() }
      (program, readers) = (nil, [])
      ended(outcome)
    }
  }

  /// Asks the program and all that it started to end, and kills them after its `grace`.
  func terminate() {
    program?.terminate()
  }

  /// Makes a pipe that is read; the end to write to.
  private func addReader(
    on loop: EventLoop, _ pause: Duration?, _ read: @escaping ([UInt8]) -> Void
  ) throws(Problem) -> FileDescriptor {
    do throws(Errno) {
      var pipe = try Pipe()
      guard let end = pipe.reader.take(), let writer = pipe.writer.take() else {
        preconditionFailure("a new pipe has two ends")
      }
      readers.append(try PipeReader(end, on: loop, pause: pause, read))
      return writer
    } catch {
      throw Problem(.failed, "can't make a pipe for a program: \(error)")
    }
  }
}
