// SPDX-License-Identifier: MIT

import CLinux
import Glibc
package import System

/// Signals that come through the loop until this is cancelled or dropped. They stay blocked after
/// that: one that was pending must not kill the process on its way out.
@MainActor
package final class SignalWatch {
  private let watch: DescriptorWatch
  private let descriptor: FileDescriptor

  init(watch: DescriptorWatch, descriptor: consuming FileDescriptor) {
    self.watch = watch
    self.descriptor = descriptor
  }

  isolated deinit {
    watch.cancel()
  }

  /// Ends the watch.
  package func cancel() {
    watch.cancel()
  }
}

extension EventLoop {
  /// Blocks these signals in the calling thread, which must be the process's only one by then,
  /// and calls `handler` with each that comes: signalfd(2).
  package func signals(
    _ numbers: [Int32], _ handler: @escaping (Int32) -> Void
  ) throws(Errno) -> SignalWatch {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers {
      _ = try systemCall { sigaddset(&set, number) }
    }
    let result = pthread_sigmask(SIG_BLOCK, &set, nil)
    guard result == 0 else { throw Errno(rawValue: result) }
    let flags = Int32(SFD_CLOEXEC | SFD_NONBLOCK)
    let descriptor = FileDescriptor(adopting: try systemCall { signalfd(-1, &set, flags) })
    let raw = descriptor.raw
    let watch = try watch(raw, for: .readable) { _ in
      var record = signalfd_siginfo()
      let size = MemoryLayout<signalfd_siginfo>.size
      // One record a turn is enough: the descriptor stays readable while there are more.
      guard read(raw, &record, size) == size else { return }
      handler(Int32(bitPattern: record.ssi_signo))
    }
    return SignalWatch(watch: watch, descriptor: descriptor)
  }
}
