// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import System

/// fsync(2) that the loop does not wait for: IOCB_CMD_FSYNC of the kernel's asynchronous input and
/// output, whose completions an eventfd in the loop counts.
///
/// The context is made for the first request. Where there is none to be had (an old kernel, a
/// system call filter, the system's limit) or the file system knows no asynchronous fsync, it is
/// done at once instead, and told of from the next turn all the same.
@MainActor
final class DiskSynchroniser {
  typealias Completion = (Result<Void, Errno>) -> Void

  private let loop: EventLoop
  /// Nil before the first request, and for good once the kernel refused.
  private var context: AsynchronousContext?
  private var mayOpen: Bool
  private var requests: [UInt64: Completion] = [:]
  /// What the context has no room for yet.
  private var waiting: [(descriptor: Int32, completion: Completion)] = []
  private var nextToken: UInt64 = 0
  /// What waits for the end of a turn, in order.
  private var calls: [() -> Void] = []

  init(loop: EventLoop, inPlace: Bool) {
    self.loop = loop
    mayOpen = !inPlace
  }

  /// Calls `completion` once the file is on the disk. The descriptor must stay open until then.
  func synchronise(_ descriptor: Int32, _ completion: @escaping Completion) {
    if mayOpen {
      mayOpen = false
      context = AsynchronousContext(loop: loop) { [unowned self] events in complete(events) }
    }
    if requests.count < AsynchronousContext.capacity {
      begin(descriptor, completion)
    } else {
      waiting.append((descriptor, completion))
    }
  }

  private func begin(_ descriptor: Int32, _ completion: @escaping Completion) {
    if let context, context.submit(descriptor, token: nextToken) {
      requests[nextToken] = completion
      nextToken += 1
      return
    }
    let result: Result<Void, Errno>
    do throws(Errno) {
      _ = try systemCall { fsync(descriptor) }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    later { completion(result) }
  }

  /// Calls `call` at the end of the turn, or from `waitForAll()`.
  func later(_ call: @escaping () -> Void) {
    calls.append(call)
    if calls.count == 1 { loop.atEndOfTurn { [self] in makeCalls() } }
  }

  /// Waits for the requests under way, and tells of them and of those done already.
  func waitForAll() {
    makeCalls()
    if let context, !requests.isEmpty { complete(context.events(atLeast: requests.count)) }
  }

  private func makeCalls() {
    let calls = self.calls
    self.calls = []
    for call in calls { call() }
  }

  private func complete(_ events: [io_event]) {
    for event in events {
      guard let completion = requests.removeValue(forKey: event.data) else { continue }
      completion(event.res < 0 ? .failure(Errno(rawValue: Int32(-event.res))) : .success(()))
    }
    while !waiting.isEmpty, requests.count < AsynchronousContext.capacity {
      let (descriptor, completion) = waiting.removeFirst()
      begin(descriptor, completion)
    }
  }
}

/// An `aio_context_t` with its eventfd and the loop's watch of that.
@MainActor
private final class AsynchronousContext {
  /// Requests under way at once, and events that one call takes.
  static let capacity = 16

  private let context: aio_context_t
  private let counter: FileDescriptor
  private var watch: DescriptorWatch?

  /// Nil when the kernel has none for us: ENOSYS, EPERM, EAGAIN, ENOMEM, whatever the reason.
  init?(loop: EventLoop, _ handler: @escaping ([io_event]) -> Void) {
    let flags = Int32(EFD_CLOEXEC | EFD_NONBLOCK)
    guard let raw = try? systemCall({ eventfd(0, flags) }) else { return nil }
    counter = FileDescriptor(adopting: raw)
    var context: aio_context_t = 0
    guard clinux_io_setup(UInt32(Self.capacity), &context) == 0 else { return nil }
    self.context = context
    do throws(Errno) {
      watch = try loop.watch(raw, for: .readable) { [unowned self] _ in
        _ = try? counter.read(upTo: 8)
        handler(events(atLeast: 0))
      }
    } catch {
      return nil
    }
  }

  isolated deinit {
    watch?.cancel()
    _ = clinux_io_destroy(context)
  }

  /// Whether the kernel took the request.
  func submit(_ descriptor: Int32, token: UInt64) -> Bool {
    clinux_io_submit_fsync(context, descriptor, counter.raw, token) == 1
  }

  /// Takes what was completed; blocks until it is so many.
  func events(atLeast minimum: Int) -> [io_event] {
    [io_event](unsafeUninitializedCapacity: Self.capacity) { buffer, count in
      do throws(Errno) {
        let taken = try systemCall {
          clinux_io_getevents(context, minimum, buffer.count, buffer.baseAddress)
        }
        count = Int(taken)
      } catch {
        preconditionFailure("io_getevents refused a context of ours: \(error.name)")
      }
    }
  }
}
