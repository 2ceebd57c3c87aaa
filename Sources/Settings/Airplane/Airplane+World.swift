// SPDX-License-Identifier: MIT

// What the members tell, and what becomes of the flips that the switch asks of them.

extension Airplane {
  /// A member was read, and is another than before.
  ///
  /// - Parameter byFlip: whether a flip of the member, or of one of its own members, was under way.
  package mutating func didRead(
    _ id: RowID, _ reading: Reading, byFlip: Bool, at now: Duration
  ) -> [Effect] {
    let effects = memberWasRead(id, reading, byFlip: byFlip, at: now)
    let isThere = presence[id]?.isAbsent != true && presence[id]?.isOff != true
    return isThere ? effects : effects + hasFinished(id)
  }

  /// What the daemon before this one began is done for this member.
  private mutating func hasFinished(_ id: RowID) -> [Effect] {
    guard unfinished.remove(id) != nil, unfinished.isEmpty else { return [] }
    return [save()]
  }

  private mutating func memberWasRead(
    _ id: RowID, _ reading: Reading, byFlip: Bool, at now: Duration
  ) -> [Effect] {
    let before = presence[id] ?? .unseen
    let isOn: Bool
    switch reading.state {
    case .unknown: return memberWent(id, reading.problem, from: before)
    // One of its adapters is enough to be heard.
    case .on, .mixed: isOn = true
    case .off: isOn = false
    }
    presence[id] = isOn ? .on : .off(returned: returned(before, at: now))
    guard inFlight[id] == nil, blocked.contains(id) else { return [] }
    // What a flip of the switch is about to do is not yet done.
    if let change, change.step == .recording { return [] }
    if recordedWish {
      guard isOn, before != .on else { return [] }
      let isTurnedOff = change.map { $0.on } ?? true
      guard isTurnedOff, !byFlip, isReturn(id, before, isMixed: reading.state == .mixed, at: now)
      else {
        return forget(id)
      }
      reasserted[id] = now
      return [flip(id, false)]
    }
    if isOn || before == .on { return forget(id) }
    return change == nil ? restoreReturned() : []
  }

  /// Turns on the members that were away when the switch was turned off, and are back.
  mutating func restoreReturned() -> [Effect] {
    let back = members.filter {
      blocked.contains($0) && inFlight[$0] == nil && presence[$0]?.isOff == true
    }
    return back.map { flip($0, true) }
  }

  private mutating func memberWent(
    _ id: RowID, _ problem: Problem?, from before: Presence
  ) -> [Effect] {
    let problem = problem ?? Problem(.failed, "it can't be read")
    // What could not be read at first may just not be ready yet.
    guard before != .unseen || problem.isAbsence else { return [] }
    presence[id] = .away(problem)
    guard problem.isAbsence, inFlight[id] != nil else { return [] }
    // A radio may well go when it is turned off: no answer is to be waited for.
    inFlight[id] = nil
    return memberIsDone(id)
  }

  /// When a member that is off now came back; nil where it was not away, as far as anyone can tell.
  private func returned(_ before: Presence, at now: Duration) -> Duration? {
    switch before {
    case .unseen: isNewBoot ? now : nil
    case .away: now
    case .off(let returned): returned
    case .on: nil
    }
  }

  /// Whether a member that is on was away just before.
  private func isReturn(
    _ id: RowID, _ before: Presence, isMixed: Bool, at now: Duration
  ) -> Bool {
    switch before {
    case .unseen: isNewBoot || unfinished.contains(id)
    case .away: true
    case .off(let returned):
      isMixed ? !isRecent(reasserted[id], at: now) : isRecent(returned, at: now)
    case .on: false
    }
  }

  /// The machine woke up, and its radios may have come anew.
  package mutating func didSleep(at now: Duration) {
    for id in blocked where presence[id]?.isOff == true {
      presence[id] = .off(returned: now)
    }
  }

  private func isRecent(_ time: Duration?, at now: Duration) -> Bool {
    time.map { now < $0 + Self.settleTime } ?? false
  }

  /// Somebody turned the member on: it is theirs.
  private mutating func forget(_ id: RowID) -> [Effect] {
    blocked.remove(id)
    unfinished.remove(id)
    return [save()]
  }

  /// A member answered a flip.
  package mutating func didFlip(
    _ id: RowID, _ result: Result<Void, FlipError>, serial: UInt64
  ) -> [Effect] {
    guard let flip = inFlight[id], flip.serial == serial else { return [] }
    inFlight[id] = nil
    if change?.pending.contains(id) == true { return memberAnswered(id, result) }
    switch result {
    case .success:
      if flip.on { return forget(id) }
      // It had its one time.
      if presence[id]?.isAway != true { presence[id] = .off(returned: nil) }
      return []
    case .failure(let error):
      if presence[id]?.isAway == true { return [] }
      let effects = forget(id)
      if error.kind == .superseded { return effects }
      return effects + [
        .note("\(id) came back and can't be turned \(flip.on ? "on" : "off"): \(error.message)")
      ]
    }
  }
}
