// SPDX-License-Identifier: MIT

import Glibc
package import System

/// A child that the loop reaps. Dropping or cancelling this only stops the telling: the child goes
/// on, and is reaped when it ends.
@MainActor
package final class ChildWatch {
  private let child: Child

  init(child: Child) {
    self.child = child
  }

  isolated deinit {
    child.handler = nil
  }

  /// The child's process id; another process's once this one was reaped.
  package var processID: Int32 { child.process.processID }

  /// Whether it still runs, as far as the loop knows.
  package var isRunning: Bool { child.isRunning }

  /// Sends the child a signal. `.noSuchProcess` once it was reaped.
  package func signal(_ number: Int32) throws(Errno) {
    guard child.isRunning else { throw .noSuchProcess }
    try child.process.signal(number)
  }

  /// Signals the child's group, for one started with a group of its own. `.noSuchProcess` once
  /// the child was reaped, though others of its group may live.
  package func signalGroup(_ number: Int32) throws(Errno) {
    guard child.isRunning else { throw .noSuchProcess }
    try child.process.signalGroup(number)
  }

  /// Lets go of the handler, which is never called again.
  package func cancel() {
    child.handler = nil
  }
}

/// A child in the loop's table, which owns it until it is reaped.
@MainActor
final class Child {
  let process: ChildProcess
  /// Whether what the child leaves behind in its group ends with it.
  let takesGroup: Bool
  var handler: ((ExitStatus) -> Void)?
  var isRunning = true
  var registration: Registration?

  init(
    process: consuming ChildProcess, takesGroup: Bool, handler: @escaping (ExitStatus) -> Void
  ) {
    self.process = process
    self.takesGroup = takesGroup
    self.handler = handler
  }
}

extension EventLoop {
  /// Takes the child over, reaps it when it ends and then calls `handler`. Should the loop be
  /// unable to, the child is killed.
  ///
  /// - Parameter takingGroup: whether what the child leaves behind in its own process group is
  ///   killed as it ends; for a child that was started with a group of its own.
  package func child(
    _ process: consuming ChildProcess, takingGroup: Bool = false,
    _ handler: @escaping (ExitStatus) -> Void
  ) throws(Errno) -> ChildWatch {
    let child = Child(process: process, takesGroup: takingGroup, handler: handler)
    do throws(Errno) {
      child.registration = try register(child.process.descriptor.raw, .readable) {
        [unowned self, unowned child] _ in
        reap(child)
      }
    } catch {
      try? child.process.signal(SIGKILL)
      _ = try? child.process.wait()
      throw error
    }
    children[child.process.processID] = child
    return ChildWatch(child: child)
  }

  private func reap(_ child: Child) {
    // Its pidfd is ready, so it has ended: until it is reaped its number is its group's alone. An
    // empty group is no one to tell of.
    if child.takesGroup { try? child.process.signalGroup(SIGKILL) }
    let status: ExitStatus
    do throws(Errno) {
      guard let ended = try child.process.poll() else { return }
      status = ended
    } catch {
      preconditionFailure("someone else waited for a child of the loop: \(error.name)")
    }
    child.isRunning = false
    if let registration = child.registration { remove(registration) }
    children[child.process.processID] = nil
    let handler = child.handler
    child.handler = nil
    handler?(status)
  }
}
