// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Settings
import System

/// Runs programs as the daemon's own children, each in a process group of its own.
///
/// What a program leaves behind in its group is killed as it ends.
final class ChildHost: ProgramHost {
  private let loop: EventLoop

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  func whenKnown(_ go: @escaping () -> Void) {
    go()
  }

  func start(
    _ program: ProgramRequest, output: consuming FileDescriptor, error: consuming FileDescriptor,
    ended: @escaping (Result<ExitStatus, Problem>) -> Void
  ) throws(Problem) -> any HostedProgram {
    do throws(Errno) {
      let child = try ChildProcess.spawn(
        arguments: program.arguments, environment: program.environment, directory: "/",
        group: .own, output: .descriptor(output.raw), error: .descriptor(error.raw))
      return HostedChild(
        try loop.child(child, takingGroup: true) { ended(.success($0)) }, grace: program.grace,
        on: loop)
    } catch let failure {
      throw Problem(failure, program: program.arguments[0])
    }
  }
}

/// A child in a process group of its own.
private final class HostedChild: HostedProgram {
  private let watch: ChildWatch
  private let grace: Duration
  private let loop: EventLoop
  private var killing: Timer?

  init(_ watch: ChildWatch, grace: Duration, on loop: EventLoop) {
    self.watch = watch
    self.grace = grace
    self.loop = loop
  }

  func terminate() {
    try? watch.signalGroup(SIGTERM)
    killing =
      killing
      ?? loop.after(grace) { [weak self] in
        try? self?.watch.signalGroup(SIGKILL)
      }
  }
}
