// SPDX-License-Identifier: MIT

import CLinux
import Glibc
package import System

/// Calls that no descriptor can be asked for, and that a driver may hold up for seconds: each on a
/// thread of its own, so that the loop goes on meanwhile.
///
/// The thread has nothing but the call. What that yields comes back through a pipe, as one of the
/// loop's events, so nothing is shared and nothing is locked.
extension EventLoop {
  /// Calls `completion` with what `call` yields, in a later turn.
  ///
  /// It can't be taken back: who no longer cares still gets the answer, unless the loop goes first.
  /// Nothing waits for it at the end of the process but the kernel, which lets no process go while
  /// a driver of its own holds one of the threads.
  package func onThread(
    _ call: @escaping @Sendable () -> Int32, _ completion: @escaping (Int32) -> Void
  ) throws(Errno) {
    var pipe = try Pipe()
    guard let reader = pipe.reader.take(), let writer = pipe.writer.take() else {
      preconditionFailure("a new pipe has two ends")
    }
    let answer = ThreadAnswer(reader, completion)
    answer.registration = try register(answer.reader.raw, .readable) { [unowned self] _ in
      answer.registration.map(remove)
      answer.deliver()
    }
    let work = Unmanaged.passRetained(ThreadWork(call, writer))
    var thread = pthread_t()
    let error = pthread_create(&thread, nil, runThread, work.toOpaque())
    guard error == 0 else {
      work.release()
      answer.registration.map(remove)
      throw Errno(rawValue: error)
    }
    pthread_detach(thread)
  }
}

/// The loop's end.
private final class ThreadAnswer {
  let reader: FileDescriptor
  private let completion: (Int32) -> Void
  /// The loop owns it, and its handler owns this.
  weak var registration: Registration?

  init(_ reader: consuming FileDescriptor, _ completion: @escaping (Int32) -> Void) {
    self.reader = reader
    self.completion = completion
  }

  func deliver() {
    // Four bytes in a pipe come whole or not at all.
    guard let bytes = try? reader.read(upTo: MemoryLayout<Int32>.size),
      bytes.count == MemoryLayout<Int32>.size
    else { preconditionFailure("a thread ended without an answer") }
    completion(bytes.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) })
  }
}

/// The thread's end.
private nonisolated final class ThreadWork: Sendable {
  let call: @Sendable () -> Int32
  let writer: FileDescriptor

  init(_ call: @escaping @Sendable () -> Int32, _ writer: consuming FileDescriptor) {
    self.call = call
    self.writer = writer
  }
}

/// What a thread runs. A function of no actor: a closure would belong to the loop's, and trap.
private nonisolated func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
{
  guard let argument else { return nil }
  let work = Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue()
  // Signals are for the loop's thread; SIGPIPE is for nobody, as below.
  var signals = sigset_t()
  sigfillset(&signals)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  var value = work.call()
  // Where the loop is gone nobody reads, and nobody misses it. The descriptor goes with `work`.
  withExtendedLifetime(work) {
    _ = write(work.writer.raw, &value, MemoryLayout<Int32>.size)
  }
  return nil
}
