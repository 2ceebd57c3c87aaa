// SPDX-License-Identifier: MIT

import EventLoop
import Settings

/// One flip of a sequence.
///
/// A step that is right already is left alone. Each other one is written and then waited for until
/// its own reading confirms it. A step may come to be, or to be ready, only in consequence of the
/// one before it: where this flip has just changed one, it is waited for. When a step fails, those
/// that this flip has changed are put back, the last first.
///
/// All that happens within the row's Timeout, and what is late is named before the row itself gives
/// up: so the steps have most of the time, and putting back has some of the rest.
final class SequenceFlip {
  typealias Completion = (SequenceFlip, Result<Void, FlipError>) -> Void

  private enum Phase {
    /// The step is being read, to see whether it is right already.
    case asking
    /// The step is being written.
    case writing
    /// It was written, and has to be seen.
    case confirming
    /// It is not there.
    case missing
    /// It was refused, by something that may not be ready yet.
    case refused
    case puttingBack
    case over
  }

  private let on: Bool
  private let steps: [Part]
  private let origin: Origin
  private let timeout: Duration
  private let readyTime: Duration
  private let loop: EventLoop
  private let began = EventLoop.now
  private var completion: Completion?
  private var phase = Phase.asking
  private var place = 0
  /// The steps that this flip took from the opposite, which they can be taken back to.
  private var changed: [Part] = []
  private var deadline: Timer?
  private var look: Timer?
  private var pause = SequenceFlip.firstPause
  /// Why the present step was last refused, and until when that is put up with.
  private var refusal: FlipError?
  private var patienceEnd: Duration?
  private var failure: FlipError?

  /// How much of the row's Timeout the steps may take, and how much everything.
  private static let shareOfSteps = 0.8
  private static let shareOfAll = 0.95
  private static let firstPause = Duration.milliseconds(50)
  private static let longestPause = Duration.seconds(1)

  /// - Parameters:
  ///   - readyTime: how long a step that is there and refuses is given to become ready.
  ///   - completion: called once, unless the flip is abandoned.
  init(
    _ on: Bool, of steps: [Part], for origin: Origin, timeout: Duration, readyTime: Duration,
    loop: EventLoop, _ completion: @escaping Completion
  ) {
    self.on = on
    self.steps = steps
    self.origin = origin
    self.timeout = timeout
    self.readyTime = readyTime
    self.loop = loop
    self.completion = completion
  }

  /// Begins, unless it has ended already.
  func run() {
    guard completion != nil else { return }
    deadline = loop.after(timeout * Self.shareOfSteps) { [weak self] in self?.runOut() }
    next()
  }

  /// Ends it as it stands.
  func end(_ result: Result<Void, FlipError>) {
    let completion = completion
    abandon()
    completion?(self, result)
  }

  /// Ends it without a word.
  func abandon() {
    phase = .over
    (completion, deadline, look) = (nil, nil, nil)
  }

  /// A step has a new reading.
  func heard(from step: Part) {
    if step === present { check() }
  }

  private var present: Part? { place < steps.count ? steps[place] : nil }

  // MARK: A step

  /// Goes on with the first step from `place` on that is not right: by what it is now, for what was
  /// last heard of it may be long ago.
  private func next() {
    (phase, look, refusal, patienceEnd) = (.asking, nil, nil, nil)
    guard let step = present else { return end(.success(())) }
    let before = place
    step.read { [weak self] in
      guard let self, before == place, case .asking = phase else { return }
      if step.reading?.settles(on) == true { advance() } else { write(step) }
    }
  }

  private func advance() {
    place += 1
    next()
  }

  private func write(_ step: Part) {
    let isOpposite = step.reading?.state == SwitchState(!on)
    (phase, look) = (.writing, nil)
    step.write(on, for: origin) { [weak self] result in
      guard let self, case .writing = phase, step === present else { return }
      switch result {
      case .success:
        if isOpposite { changed.append(step) }
        enter(.confirming)
        lookNow(step)
      case .failure(let error): refused(step, error)
      }
    }
  }

  private func refused(_ step: Part, _ error: FlipError) {
    refusal = error
    let mayGetReady = !changed.isEmpty && [.unavailable, .backendFailed].contains(error.kind)
    if mayGetReady, step.isAbsent { return enter(.missing) }
    let end = patienceEnd ?? EventLoop.now + readyTime
    patienceEnd = end
    guard mayGetReady, step.isRepeatable, EventLoop.now < end else { return fail(step, error) }
    enter(.refused)
  }

  private func enter(_ phase: Phase) {
    self.phase = phase
    if case .refused = phase {} else { pause = Self.firstPause }
    lookLater()
  }

  /// Not everything tells of its changes.
  private func lookLater() {
    look = loop.after(pause) { [weak self] in
      guard let self, let step = present else { return }
      pause = min(pause * 2, Self.longestPause)
      lookNow(step)
    }
  }

  private func lookNow(_ step: Part) {
    look = nil
    let before = place
    step.read { [weak self] in
      guard let self, before == place else { return }
      if case .refused = phase { return retry(step) }
      check()
      if look == nil, before == place { lookAgain() }
    }
  }

  private func lookAgain() {
    switch phase {
    case .confirming, .missing: lookLater()
    case .asking, .writing, .refused, .puttingBack, .over: break
    }
  }

  private func check() {
    guard let step = present else { return }
    switch phase {
    case .confirming: if step.reading?.settles(on) == true { advance() }
    case .missing: if !step.isAbsent { retry(step) }
    case .asking, .writing, .refused, .puttingBack, .over: break
    }
  }

  private func retry(_ step: Part) {
    if step.reading?.settles(on) == true { advance() } else { write(step) }
  }

  // MARK: Failing

  private func runOut() {
    guard let step = present else { return }
    let why = refusal?.message ?? step.reading?.problem?.text ?? "it takes too long or ignores it"
    fail(step, FlipError(.timedOut, "not \(on ? "on" : "off") in time: \(why)"))
  }

  private func fail(_ step: Part, _ error: FlipError) {
    (phase, look) = (.puttingBack, nil)
    failure = FlipError(error.kind, "step \(step.name) failed: \(error.message)")
    deadline = loop.after(began + timeout * Self.shareOfAll - EventLoop.now) { [weak self] in
      guard let self, let step = changed.last else { return }
      endFailed("; putting \(step.name) back takes too long")
    }
    putBack()
  }

  private func putBack() {
    guard let step = changed.last else { return endFailed() }
    step.write(!on, for: origin) { [weak self] result in
      guard let self, case .puttingBack = phase else { return }
      if case .failure(let error) = result, let failure {
        self.failure = FlipError(
          failure.kind, "\(failure.message); putting \(step.name) back failed: \(error.message)")
      }
      // For what it is now: its backend need not tell.
      step.read { [weak self] in
        guard let self, case .puttingBack = phase, changed.last === step else { return }
        changed.removeLast()
        putBack()
      }
    }
  }

  private func endFailed(_ more: String = "") {
    guard let failure else { return }
    end(.failure(FlipError(failure.kind, failure.message + more)))
  }
}
