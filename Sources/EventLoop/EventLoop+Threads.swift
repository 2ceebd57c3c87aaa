// SPDX-License-Identifier: MIT

import CLinux
import Glibc
package import System

/// Calls that no descriptor can be asked for, and that a driver or a peer may hold up for seconds:
/// each on a thread of its own, so that the loop goes on meanwhile.
///
/// The thread has nothing but the call. What that yields is handed over through a pipe, as one of
/// the loop's events, so nothing is shared and nothing is locked.
extension EventLoop {
  /// Calls `completion` with what `call` yields, in a later turn.
  ///
  /// It can't be taken back: who no longer cares still gets the answer, unless the loop goes first.
  /// Nothing waits for it at the end of the process but the kernel, which lets no process go while
  /// a driver of its own holds one of the threads.
  package func onThread<Answer: Sendable>(
    _ call: @escaping @Sendable () -> Answer, _ completion: @escaping (Answer) -> Void
  ) throws(Errno) {
    var pipe = try Pipe()
    guard let reader = pipe.reader.take(), let writer = pipe.writer.take() else {
      preconditionFailure("a new pipe has two ends")
    }
    let end = ThreadEnd(reader) { completion(ThreadAnswer<Answer>.receive($0)) }
    end.registration = try register(end.reader.raw, .readable) { [unowned self] _ in
      end.registration.map(remove)
      end.deliver()
    }
    let work = Unmanaged.passRetained(ThreadWork({ ThreadAnswer(call()).send() }, writer))
    var thread = pthread_t()
    let error = pthread_create(&thread, nil, runThread, work.toOpaque())
    guard error == 0 else {
      work.release()
      end.registration.map(remove)
      throw Errno(rawValue: error)
    }
    pthread_detach(thread)
  }
}

/// What a call yields, on its way through the pipe: its address goes, and with that the one
/// reference to it.
private nonisolated final class ThreadAnswer<Answer: Sendable>: Sendable {
  private let answer: Answer

  init(_ answer: Answer) {
    self.answer = answer
  }

  func send() -> UInt {
    UInt(bitPattern: Unmanaged.passRetained(self).toOpaque())
  }

  static func receive(_ address: UInt) -> Answer {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else {
      preconditionFailure("an answer has an address")
    }
    return Unmanaged<ThreadAnswer>.fromOpaque(pointer).takeRetainedValue().answer
  }
}

/// The loop's end of the pipe.
private final class ThreadEnd {
  let reader: FileDescriptor
  private let completion: (UInt) -> Void
  /// The loop owns it, and its handler owns this.
  weak var registration: Registration?

  init(_ reader: consuming FileDescriptor, _ completion: @escaping (UInt) -> Void) {
    self.reader = reader
    self.completion = completion
  }

  func deliver() {
    // An address in a pipe comes whole or not at all.
    guard let bytes = try? reader.read(upTo: MemoryLayout<UInt>.size),
      bytes.count == MemoryLayout<UInt>.size
    else { preconditionFailure("a thread ended without an answer") }
    completion(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt.self) })
  }
}

/// The thread's end.
private nonisolated final class ThreadWork: Sendable {
  /// Yields the address of an answer.
  let call: @Sendable () -> UInt
  let writer: FileDescriptor

  init(_ call: @escaping @Sendable () -> UInt, _ writer: consuming FileDescriptor) {
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
  var address = work.call()
  // The descriptor goes with `work`.
  let count = withExtendedLifetime(work) {
    write(work.writer.raw, &address, MemoryLayout<UInt>.size)
  }
  // Where the loop is gone nobody reads, and nobody misses it.
  if count < 0, let answer = UnsafeRawPointer(bitPattern: address) {
    Unmanaged<AnyObject>.fromOpaque(answer).release()
  }
  return nil
}
