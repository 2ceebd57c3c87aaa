// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// A child and its pidfd, so that no signal or wait ever meets another process of that number.
///
/// Whoever owns it reaps it: with `wait`, `poll`, or by handing it to `EventLoop.child`. Dropped
/// unreaped, the child stays a zombie until this process ends.
package struct ChildProcess: ~Copyable, Sendable {
  /// The process's number, valid until it is reaped.
  package let processID: Int32
  /// The pidfd: readable once the child has ended.
  package let descriptor: FileDescriptor

  /// What a child gets as one of its descriptors 0, 1 and 2.
  package enum Stream: Hashable, Sendable {
    /// /dev/null
    case null
    /// What this process has there.
    case inherited
    /// A copy of this descriptor.
    case descriptor(Int32)
  }

  /// Whom the child shares signals with.
  package enum Group: Hashable, Sendable {
    /// The caller's process group.
    case inherited
    /// A process group of its own, which `signalGroup` reaches with all the child starts.
    case own
    /// A session of its own: no controlling terminal either.
    case session
  }

  /// pidfd_send_signal(2). `.noSuchProcess` once it was reaped.
  package func signal(_ number: Int32) throws(Errno) {
    _ = try systemCall { clinux_pidfd_send_signal(descriptor.raw, number) }
  }

  /// kill(2) of the child's group, for a child started with `.own` or `.session`. Only before it
  /// is reaped: until then the number can't be anyone else's.
  package func signalGroup(_ number: Int32) throws(Errno) {
    _ = try systemCall { kill(-processID, number) }
  }

  /// How the child ended, and reaps it; nil while it runs.
  package func poll() throws(Errno) -> ExitStatus? {
    try waitid(WEXITED | WNOHANG)
  }

  /// Waits for the child's end and reaps it. Blocks.
  package func wait() throws(Errno) -> ExitStatus {
    while true {
      if let status = try waitid(WEXITED) { return status }
    }
  }

  private func waitid(_ options: Int32) throws(Errno) -> ExitStatus? {
    var code: Int32 = 0
    var status: Int32 = 0
    _ = try systemCall { clinux_wait_pidfd(descriptor.raw, options, &code, &status) }
    switch code {
    case 0: return nil
    case Int32(CLD_EXITED): return .exited(status)
    default: return .signalled(status)
    }
  }
}
