// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import Settings
import System

/// /dev/rfkill, read once for all rows: open while a row is about radios, and opened again whenever
/// it is lost.
///
/// Reading it never blocks. Opening it may, for as long as a driver holds up somebody's write, so
/// that is done on a thread; see `RfkillWriter` for writing.
package final class RfkillDevice {
  let path: String
  private let loop: EventLoop
  private let openTime: Duration
  private let freshTime: Duration
  private lazy var writer = RfkillWriter(self, freshTime: freshTime, loop: loop)
  private var observers: [ObjectIdentifier: () -> Void] = [:]
  /// Who waits for what is being found out.
  private var waiting: [() -> Void] = []

  /// What is known; nil before the first answer.
  private(set) var radios: Result<Radios, Problem>?
  private var source: Source?
  private var openedAt = Duration.zero
  private var isOpening = false
  /// Something about the path changed while it was being opened.
  private var isOutdated = false
  /// For the path to come, or to change in a way that lets it be opened.
  private var pathWatch: PathWatch?
  /// For an opening that takes too long, or the time until the next one.
  private var timer: Timer?
  private var delay = RfkillDevice.firstDelay
  /// Why what is at the path can't be the device; nil where it may be.
  private var misfit: Problem?

  private static let firstDelay = Duration.seconds(1)
  private static let longestDelay = Duration.seconds(60)
  /// Who worked for as long as this is opened again at once.
  private static let stableTime = Duration.seconds(10)
  /// Records that are taken in one go; what is left has the loop call again.
  private static let batch = 256

  /// A descriptor that is read, its watch, which goes first, and what came of it.
  private final class Source {
    var watch: DescriptorWatch?
    let descriptor: FileDescriptor
    var radios = Radios()
    /// Whether each radio that was there at the opening has been told of.
    var isComplete = false

    init(_ descriptor: consuming FileDescriptor) {
      self.descriptor = descriptor
    }
  }

  /// Does nothing until somebody observes it.
  ///
  /// - Parameters:
  ///   - openTime: how long an opening may take before that is told.
  ///   - freshTime: how long after its class was unblocked a radio that comes blocked is unblocked.
  package init(
    _ path: String, loop: EventLoop, openTime: Duration = .seconds(5),
    freshTime: Duration = .seconds(2)
  ) {
    self.path = path
    self.loop = loop
    self.openTime = openTime
    self.freshTime = freshTime
  }

  // MARK: Who wants to know

  /// Calls `changed` after each change, until `owner` is forgotten.
  func observe(_ owner: AnyObject, _ changed: @escaping () -> Void) {
    observers[ObjectIdentifier(owner)] = changed
    if source == nil, timer == nil, pathWatch == nil { open() }
  }

  func forget(_ owner: AnyObject) {
    observers[ObjectIdentifier(owner)] = nil
    guard observers.isEmpty else { return }
    (source, pathWatch, timer, radios) = (nil, nil, nil, nil)
    answer()
  }

  /// Calls `completion` once all that the kernel has told by now is taken in; at once while an
  /// opening has taken too long already.
  func refresh(_ completion: @escaping () -> Void) {
    drain()
    let isOpeningInTime = isOpening && timer?.isActive == true
    if isOpeningInTime || source?.isComplete == false {
      waiting.append(completion)
    } else {
      completion()
    }
  }

  /// Asks the kernel to block or unblock the radios of a class; see `RfkillWriter`.
  func write(
    _ wanted: RadioClass, _ on: Bool, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    // A record written into something else would only damage it.
    if let misfit { return completion(.failure(FlipError(.backendFailed, misfit.text))) }
    writer.write(wanted, on) { [weak self] result in
      guard let self, case .success = result else { return completion(result) }
      // What the kernel told of in the course of the write.
      refresh { completion(result) }
    }
  }

  private func answer() {
    let completions = waiting
    waiting = []
    for completion in completions { completion() }
  }

  private func publish(_ new: Result<Radios, Problem>) {
    if new != radios {
      radios = new
      for changed in Array(observers.values) { changed() }
    }
    answer()
  }

  // MARK: Opening

  private func open() {
    guard !isOpening else {
      isOutdated = true
      // Those whom it was begun for have left, and somebody new has come.
      if timer == nil { watchOpening() }
      return
    }
    (isOpening, isOutdated, misfit) = (true, false, nil)
    watchOpening()
    // Before it is tried, so that nothing falls between the two.
    watchPath()
    do throws(Errno) {
      try loop.onThread(
        { [path] in
          do throws(Errno) {
            let options: OpenOptions = [.readOnly, .nonBlocking, .noControllingTerminal]
            return try FileDescriptor.open(path, options).release()
          } catch {
            return -error.rawValue
          }
        },
        { [weak self] answer in
          guard answer >= 0 else { return self?.couldNotOpen(Errno(rawValue: -answer)) ?? () }
          let source = Source(FileDescriptor(adopting: answer))
          self?.take(source)
        })
    } catch {
      couldNotOpen(error)
    }
  }

  private func watchOpening() {
    timer = loop.after(openTime) { [weak self] in
      guard let self else { return }
      publish(.failure(Problem(.timeout, "opening \(path) takes too long: a driver holds it up")))
    }
  }

  private func watchPath() {
    do throws(Errno) {
      pathWatch = try loop.file(path) { [weak self] in self?.open() }
    } catch .noSuchFileOrDirectory, .notDirectory {
      pathWatch = try? loop.appearance(of: path) { [weak self] in self?.open() }
    } catch {
      pathWatch = nil
    }
  }

  private func couldNotOpen(_ error: Errno) {
    (isOpening, timer) = (false, nil)
    guard !observers.isEmpty else { return }
    if isOutdated { return open() }
    let problem = problem(error, of: "open")
    // What is missing or forbidden is told of by its path when that changes.
    let isLasting = problem.reason == .noDevice || problem.reason == .noAccess
    lose(problem, isLasting: isLasting && pathWatch != nil)
  }

  /// - Parameter isLasting: whether trying again by and by is in vain.
  private func lose(_ problem: Problem, isLasting: Bool = false) {
    source = nil
    if !isLasting {
      timer = loop.after(delay) { [weak self] in self?.open() }
      delay = min(delay * 2, Self.longestDelay)
    }
    publish(.failure(problem))
  }

  /// What stands in the way of opening or writing the device.
  func problem(_ error: Errno, of verb: String) -> Problem {
    switch error {
    case .noSuchFileOrDirectory, .notDirectory, .noSuchDevice, .noSuchDeviceOrAddress:
      Problem(.noDevice, "there is no \(path): no radio here can be switched by the kernel")
    case let error where error.isDenial:
      Problem(
        .noAccess,
        "can't \(verb) \(path): \(error); the user that runs toggled must be allowed to")
    default: Problem(.failed, "can't \(verb) \(path): \(error)")
    }
  }

  // MARK: Reading

  private func take(_ source: Source) {
    (isOpening, timer) = (false, nil)
    guard !observers.isEmpty else { return }
    do throws(Errno) {
      // Weak in both: the watch is the source's own, and goes with it.
      source.watch = try loop.watch(source.descriptor.raw, for: .readable) {
        [weak self, weak source] ready in
        guard let self, let source else { return }
        drain()
        // One that is at its end says so for ever, and need not have anything to read.
        if !ready.isDisjoint(with: [.hangup, .error]) { end(source, "it was closed") }
      }
    } catch {
      let problem = Problem(.failed, "\(path) is not the kernel's switch for radios")
      // Only a file that can't be waited for, and so is no such device, is refused like this.
      if error == .notPermitted { misfit = problem }
      return lose(problem, isLasting: error == .notPermitted && pathWatch != nil)
    }
    pathWatch = nil
    openedAt = EventLoop.now
    self.source = source
    drain()
  }

  private func drain() {
    guard let source else { return }
    reading: for _ in 0..<Self.batch {
      let record: [UInt8]
      do throws(Errno) {
        record = try source.descriptor.read(upTo: RadioEvent.room)
      } catch .wouldBlock {
        source.isComplete = true
        break reading
      } catch {
        return end(source, "\(error)")
      }
      guard let event = RadioEvent(record) else {
        let why = record.isEmpty ? "it ended" : "it gave a record of \(record.count) bytes"
        return end(source, why)
      }
      source.radios.take(event)
      if source.isComplete { writer.noticed(event) }
    }
    if source.isComplete { publish(.success(source.radios)) }
  }

  private func end(_ ended: Source, _ why: String) {
    guard source === ended else { return }
    source = nil
    guard EventLoop.now - openedAt < Self.stableTime else {
      delay = Self.firstDelay
      return open()
    }
    lose(Problem(.failed, "can't read \(path): \(why)"))
  }
}
