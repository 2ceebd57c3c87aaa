// SPDX-License-Identifier: MIT

import EventLoop
import Settings
import System

/// Writes to /dev/rfkill, which may take a driver seconds, whatever O_NONBLOCK says: so on a thread
/// of its own, one write at a time, and of what is wished meanwhile the newest for each class.
final class RfkillWriter {
  typealias Completion = (Result<Void, FlipError>) -> Void

  private unowned let device: RfkillDevice
  private let loop: EventLoop
  /// Oldest first, and none for the same class as another.
  private var waiting: [Wish] = []
  private var isWriting = false
  /// Until when a radio that comes blocked is unblocked, because its class just was.
  private var fresh: [RadioClass: Duration] = [:]

  private struct Wish {
    /// Nil for a single radio.
    let radios: RadioClass?
    let on: Bool
    let record: [UInt8]
    var completions: [Completion] = []
  }

  /// Some laptops power an adapter through a radio switch of the platform's own: unblocking that
  /// makes the adapter appear, and the kernel need not have unblocked it.
  private let freshTime: Duration
  private static let whileWriting = Duration.seconds(Int64.max)

  init(_ device: RfkillDevice, freshTime: Duration, loop: EventLoop) {
    self.device = device
    self.freshTime = freshTime
    self.loop = loop
  }

  /// Success means that the kernel took it.
  func write(_ wanted: RadioClass, _ on: Bool, _ completion: @escaping Completion) {
    var wish = Wish(
      radios: wanted, on: on, record: RadioEvent.change(wanted, isBlocked: !on),
      completions: [completion])
    var superseded: [Completion] = []
    if let index = waiting.firstIndex(where: { $0.radios == wanted }) {
      let earlier = waiting.remove(at: index)
      if earlier.on == on {
        wish.completions += earlier.completions
      } else {
        superseded = earlier.completions
      }
    }
    if !on { fresh = fresh.filter { $0.key != wanted && $0.key != .all && wanted != .all } }
    waiting.append(wish)
    writeNext()
    let error = FlipError(
      .superseded, "the radios were asked to be \(on ? "off" : "on"), and then the opposite")
    for completion in superseded { completion(.failure(error)) }
  }

  private func writeNext() {
    guard !isWriting, !waiting.isEmpty else { return }
    isWriting = true
    let wish = waiting.removeFirst()
    if wish.on, let radios = wish.radios { fresh[radios] = Self.whileWriting }
    let path = device.path
    let record = wish.record
    do throws(Errno) {
      try loop.onThread(
        {
          do throws(Errno) {
            try FileDescriptor.open(path, [.writeOnly, .noControllingTerminal]).writeAll(record)
            return 0
          } catch {
            return error.rawValue
          }
        },
        { [weak self] number in
          self?.wrote(wish, number == 0 ? nil : Errno(rawValue: number))
        })
    } catch {
      wrote(wish, error)
    }
  }

  private func wrote(_ wish: Wish, _ error: Errno?) {
    isWriting = false
    var result: Result<Void, FlipError> = .success(())
    if let error {
      let problem = device.problem(error, of: "write")
      let kind: FlipError.Kind = problem.isAbsence ? .unavailable : .backendFailed
      result = .failure(FlipError(kind, problem.text))
    }
    if let radios = wish.radios, fresh[radios] != nil {
      fresh[radios] = error == nil ? EventLoop.now + freshTime : nil
    }
    writeNext()
    for completion in wish.completions { completion(result) }
  }

  /// The kernel told of this after the radios that were there at first.
  func noticed(_ event: RadioEvent) {
    guard event.isSoftBlocked, !fresh.isEmpty else { return }
    let concerned = fresh.filter { $0.key.contains(event.type) }
    for radios in concerned.keys { fresh[radios] = nil }
    // What somebody blocked stays blocked; what came blocked is unblocked, once.
    guard event.operation == .add, concerned.values.contains(where: { $0 > EventLoop.now })
    else { return }
    waiting.append(Wish(radios: nil, on: true, record: event.change(isBlocked: false)))
    writeNext()
  }
}
