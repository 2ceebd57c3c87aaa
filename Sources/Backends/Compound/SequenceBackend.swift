// SPDX-License-Identifier: MIT

package import EventLoop
package import Settings

/// Steps that are turned on one after the other, each when the one before it is.
///
/// On when every step is on, off when the last is off. Where the last is not there and a step
/// before it is off, that one explains it, and the row is off as well: a Bluetooth adapter that its
/// block has taken away. In all else there is no telling.
package final class SequenceBackend: Backend {
  private let steps: [Part]
  private let offSteps: [Part]
  private let timeout: Duration
  private let readyTime: Duration
  private let loop: EventLoop
  private var report: ((Reading) -> Void)?
  /// The flip under way. Readings wait for its end: what is between its steps is not shown.
  private var flip: SequenceFlip?
  private var waitingReads: [(Reading) -> Void] = []

  /// - Parameters:
  ///   - definition: says which of the steps off turns off.
  ///   - steps: made after the definition's.
  ///   - timeout: how long a flip may take: the row's own Timeout.
  ///   - readyTime: how long a step that is there and refuses is given to become ready.
  package init(
    _ definition: SequenceBackendDefinition, _ steps: [Part], timeout: Duration, loop: EventLoop,
    readyTime: Duration = .seconds(2)
  ) {
    self.steps = steps
    offSteps = definition.offSteps.map { steps[$0] }
    self.timeout = timeout
    self.readyTime = readyTime
    self.loop = loop
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    for step in steps {
      step.start { [weak self] in
        guard let self else { return }
        if let flip { flip.heard(from: step) } else { tellNews() }
      }
    }
  }

  package func read(_ completion: @escaping (Reading) -> Void) {
    guard flip == nil else { return waitingReads.append(completion) }
    var left = steps.count
    for step in steps {
      step.read { [weak self] in
        left -= 1
        guard left == 0, let self else { return }
        if flip != nil { waitingReads.append(completion) } else { completion(answer) }
      }
    }
  }

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    let older = flip
    let newer = SequenceFlip(
      on, of: on ? steps : offSteps, for: origin, timeout: timeout, readyTime: readyTime, loop: loop
    ) { [weak self] flip, result in
      self?.ended(flip)
      completion(result)
    }
    // First, for what is between the steps of the two is not shown either.
    flip = newer
    older?.end(.failure(FlipError(.superseded, "a newer flip has taken the place of this one")))
    // Nothing, where the older one's caller has flipped again or stopped all.
    newer.run()
  }

  private func ended(_ flip: SequenceFlip) {
    guard self.flip === flip else { return }
    self.flip = nil
    tellNews()
    // Whoever hears of it may flip again, and then the others wait for that.
    while self.flip == nil, !waitingReads.isEmpty { waitingReads.removeFirst()(answer) }
  }

  package func stop() {
    flip?.abandon()
    (report, flip, waitingReads) = (nil, nil, [])
    for step in steps { step.stop() }
  }

  // MARK: Reading

  private func tellNews() {
    if let reading { report?(reading) }
  }

  private var answer: Reading {
    reading ?? .unreadable(Problem(.failed, "not all steps have been read yet"))
  }

  /// What the steps come to; nil until each has been read.
  private var reading: Reading? {
    let readings = steps.compactMap(\.reading)
    guard readings.count == steps.count, let last = steps.last else { return nil }
    let problem = steps.lazy.compactMap(\.problem).first
    let isHeadingOn = readings.allSatisfy { ($0.target ?? ($0.state == .on)) }
    if readings.allSatisfy({ $0.state == .on }) {
      return .on.with(problem).heading(to: last.reading?.target == false ? false : nil)
    }
    let firstOff = steps.first { $0.reading?.state == .off }
    if last.reading?.state == .off || (last.isAbsent && firstOff != nil) {
      return .off.with(problem).heading(to: isHeadingOn ? true : nil)
    }
    if let unknown = steps.first(where: { $0.reading?.state == .unknown }),
      let why = unknown.problem
    {
      return .unreadable(why)
    }
    let odd = steps.first { $0.reading?.state != .on }
    let state = odd?.reading?.state.rawValue ?? ""
    let rest = odd === last ? "" : ", while \(last.name) is not off"
    return .unreadable(Problem(.unrecognised, "\(odd?.name ?? "") is \(state)\(rest)"))
  }
}
