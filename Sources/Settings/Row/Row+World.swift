// SPDX-License-Identifier: MIT

// What the world tells a row. A value is read back before it is announced, and announced before
// anyone is answered; a loss is not off; a flip that nothing confirms in time fails; what flaps is
// announced at intervals, and its last value always.

extension Row {
  /// The backend noticed something by itself.
  ///
  /// - Parameter byFlip: whether a flip of another row brought it about, as of a group's member:
  ///   then it is announced at once.
  package mutating func didObserve(
    _ reading: Reading, byFlip: Bool = false, at now: Duration
  ) -> [Effect] {
    take(reading, byFlip: byFlip, at: now)
  }

  /// The backend answered the read that was asked of it.
  package mutating func didRead(_ reading: Reading, at now: Duration) -> [Effect] {
    isReading = false
    let done = readers
    readers = nextReaders
    nextReaders = []
    var effects = take(reading, at: now)
    for reader in done {
      switch reader {
      case .refresh(let ticket):
        // The caller sees the signal before its reply, throttled or not.
        effects += announce()
        effects.append(.answer(ticket, .success(Settled(changed: false, isOn: confirmed))))
      case .toggle(let ticket, let origin):
        if let problem = reading.problem, reading.state == .unknown, !isBusy {
          let error = FlipError(
            .unavailable,
            "row \(id) can't be read, so it can't be toggled: \(problem.text); "
              + "set it to on or off instead")
          effects.append(.answer(ticket, .failure(error)))
        } else {
          effects += toggle(ticket: ticket, origin: origin)
        }
      }
    }
    if !readers.isEmpty { effects += startReading() }
    return effects
  }

  /// The backend answered a write.
  package mutating func didWrite(
    _ result: Result<Void, FlipError>, serial: UInt64, at now: Duration
  ) -> [Effect] {
    guard flip?.serial == serial else {
      // Its flip is over already. Late as it is it may have changed the world, or failed to, unless
      // it is the usual case: a signal confirmed the flip before its answer came.
      if case .success = result, let last = lastConfirmed, last.serial == serial,
        isSettled(last.target)
      {
        return []
      }
      return startReading()
    }
    switch result {
    case .success:
      flip?.wroteWell = true
      return startReading()
    case .failure(let error):
      return end(.failure(error), at: now) + startReading()
    }
  }

  /// The time that an `arm` of this timer asked for has passed.
  package mutating func timerFired(_ timer: TimerKind, at now: Duration) -> [Effect] {
    switch timer {
    case .deadline:
      guard let target = flip?.target else { return [] }
      // What is wrong with it is told rather than guessed.
      let why = latest?.problem?.text ?? "its backend took too long or ignored the change"
      let error = FlipError(
        .timedOut,
        "row \(id) was not confirmed \(target ? "on" : "off") within "
          + "\(rules.timeout.inSeconds) s; \(why)")
      return end(.failure(error), at: now) + startReading()
    case .reread:
      return flip == nil ? [] : startReading()
    case .announce:
      lastOutsideChange = now
      return announce(byFlip: false)
    case .enforce:
      let step = lockStep(at: now)
      return announce() + effects(of: step)
    }
  }

  private mutating func take(
    _ reading: Reading, byFlip: Bool = false, at now: Duration
  ) -> [Effect] {
    latest = reading
    if reading.state != .unknown { confirmed = reading.state == .on }
    guard let current = flip else {
      let step = lockStep(at: now)
      let announcement =
        byFlip ? announce() + [.disarm(.announce)] : announceOutsideChange(at: now)
      return announcement + effects(of: step)
    }
    if reading.settles(current.target) {
      let settled = Settled(changed: true, isOn: current.target)
      return end(.success(settled), at: now)
    }
    var effects = announceOutsideChange(at: now)
    if current.wroteWell, !isReading {
      effects.append(.arm(.reread, after: current.nextReread))
      flip?.nextReread = min(current.nextReread * 2, Row.longestReread)
    }
    return effects
  }

  private mutating func end(_ result: Result<Settled, FlipError>, at now: Duration) -> [Effect] {
    guard let ended = flip else { return [] }
    flip = nil
    if case .success = result { lastConfirmed = (ended.serial, ended.target) }
    if case .failure(let error) = result, ended.origin.cause == .lock, let latest {
      lock.obstacle = .failure(latest, error.message)
    }
    var effects: [Effect] = [.disarm(.deadline), .disarm(.reread)]
    if case .success = result { effects.append(.flipped(ended.target, ended.origin)) }
    let next = waiting
    waiting = nil
    if let next, !(latest?.settles(next.on) ?? false) {
      // Target goes straight to the next wish: one change, one signal.
      effects += begin(next)
      effects += ended.tickets.map { .answer($0, result) }
      return effects
    }
    let step = lockStep(at: now)
    effects += announce()
    effects += ended.tickets.map { .answer($0, result) }
    if let next {
      let settled = Settled(changed: false, isOn: next.on)
      effects += next.tickets.map { .answer($0, .success(settled)) }
    }
    effects += answerReplaced()
    return effects + self.effects(of: step)
  }

  /// The row is at rest: who was replaced learns whether it came out as they wished.
  private mutating func answerReplaced() -> [Effect] {
    defer { replaced = [] }
    return replaced.map { ticket, on in
      guard state == SwitchState(on) else {
        let error = FlipError(
          .superseded, "row \(id) was asked for \(on ? "on" : "off"), and then for the opposite")
        return .answer(ticket, .failure(error))
      }
      return .answer(ticket, .success(Settled(changed: true, isOn: on)))
    }
  }
}
