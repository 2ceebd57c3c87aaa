// SPDX-License-Identifier: MIT

// A client's flip. On: remember who is on, put that on the disk, turn those off; if one can't be
// turned off, those that were are turned on again. Off: turn on those that are remembered, and put
// on the disk that it is over. A member that is not there is nothing to wait for: turned on is what
// it will be when it comes back.

extension Airplane {
  /// A client wants airplane mode, or no more; answered by one `finish`. Only while not busy.
  ///
  /// - Parameter heading: where members are on their way to.
  package mutating func flip(_ on: Bool, heading: [RowID: Bool]) -> [Effect] {
    unfinished = []
    return on ? turnOn(heading) : turnOff()
  }

  private mutating func turnOn(_ heading: [RowID: Bool]) -> [Effect] {
    var change = Change(on: true, step: .recording, targets: [])
    for id in members {
      switch presence[id] ?? .unseen {
      case .on:
        change.targets.append(id)
        if heading[id] != false { change.added.insert(id) }
      case .off:
        guard heading[id] == true else { continue }
        change.targets.append(id)
        change.added.insert(id)
      case .unseen:
        change.targets.append(id)
      case .away(let problem):
        // What is there and can't be read is turned off all the same, and not on again later.
        if !problem.isAbsence { change.targets.append(id) }
      }
    }
    blocked.formUnion(change.added)
    self.change = change
    return saveAndWait()
  }

  private mutating func turnOff() -> [Effect] {
    let targets = members.filter { blocked.contains($0) && presence[$0]?.isAbsent != true }
    change = Change(on: false, step: .flipping, targets: targets)
    return flipTargets(true)
  }

  private mutating func saveAndWait() -> [Effect] {
    let save = save()
    change?.saveSerial = lastSerial
    return [save]
  }

  private mutating func flipTargets(_ on: Bool) -> [Effect] {
    guard let targets = change?.targets else { return [] }
    change?.pending = Set(targets)
    return targets.isEmpty ? allDone() : targets.map { flip($0, on) }
  }

  /// A record that was to be saved is on the disk, or can't be.
  package mutating func didSave(_ result: Result<Void, FlipError>, serial: UInt64) -> [Effect] {
    guard let change, change.saveSerial == serial else {
      guard case .failure(let error) = result else { return [] }
      return [.note(error.message)]
    }
    switch (change.step, result) {
    case (.recording, .success):
      self.change?.step = .flipping
      return flipTargets(false)
    case (.recording, .failure(let error)):
      blocked.subtract(change.added)
      return end(error)
    case (.closing, .success):
      // What could not be turned on stays as it was: off, where that was lost.
      wish = change.on ? wish ?? false : false
      let finish = end(change.error)
      return (wish == true ? [] : restoreReturned()) + finish
    case (.closing, .failure(let error)): return end(change.error ?? error)
    case (.flipping, _), (.undoing, _): return []
    }
  }

  // MARK: The members' answers

  /// A member of the flip under way is not there any more.
  mutating func memberIsDone(_ id: RowID) -> [Effect] {
    guard change?.pending.remove(id) != nil else { return [] }
    return change?.pending.isEmpty == true ? allDone() : []
  }

  mutating func memberAnswered(_ id: RowID, _ result: Result<Void, FlipError>) -> [Effect] {
    guard let change else { return [] }
    switch (change.step, result) {
    case (.flipping, .success):
      if !change.on { blocked.remove(id) }
    // Someone wished otherwise meanwhile, and has it.
    case (.flipping, .failure(let error)) where error.kind == .superseded: blocked.remove(id)
    case (.flipping, .failure(let error)):
      guard presence[id]?.isAbsent != true else { break }
      self.change?.failures.append((id, error))
      // One that was late may be off by now; else it is as it was, and nothing is owed to it.
      let isLate = change.on && error.kind == .timedOut
      if !isLate, presence[id]?.isAway != true { blocked.remove(id) }
    case (_, .failure(let error)):
      return [.note("\(id) can't be turned on again: \(error.message)")] + memberIsDone(id)
    case (_, .success): break
    }
    return memberIsDone(id)
  }

  private mutating func allDone() -> [Effect] {
    guard var change else { return [] }
    switch change.step {
    case .recording, .closing: return []
    case .flipping where change.on && change.failures.isEmpty:
      wish = true
      let finish = end(nil)
      return [save()] + finish
    case .flipping where change.on:
      // One that is gone is owed it.
      let undone = change.added.filter { blocked.contains($0) && presence[$0]?.isAbsent != true }
      change.targets = change.targets.filter(undone.contains)
      blocked.subtract(undone)
      change.step = .undoing
      self.change = change
      return flipTargets(true)
    case .flipping, .undoing:
      self.change?.step = .closing
      return saveAndWait()
    }
  }

  /// The flip has nearly had its time: who has not answered is named.
  package mutating func outOfTime() -> [Effect] {
    guard let step = change?.step, step == .flipping || step == .undoing else { return [] }
    let word = change?.on == true && step == .flipping ? "off" : "on"
    var effects: [Effect] = []
    for id in change?.pending.sorted() ?? [] {
      inFlight[id] = nil
      let late = FlipError(.timedOut, "row \(id) was not turned \(word) in time")
      effects += memberAnswered(id, .failure(late))
    }
    return effects
  }

  private mutating func end(_ error: FlipError?) -> [Effect] {
    change = nil
    return [.finish(error)]
  }
}

extension Airplane.Change {
  /// What the caller is told of the members that could not be flipped.
  var error: FlipError? {
    guard let first = failures.first else { return nil }
    let others = failures.count > 1 ? " (and \(failures.count - 1) more)" : ""
    let outcome =
      on ? "what was turned off before is on again" : "the switch is off all the same"
    return FlipError(
      first.error.kind,
      "\(first.id) can't be turned \(on ? "off" : "on"): \(first.error.message)\(others); "
        + outcome)
  }
}
