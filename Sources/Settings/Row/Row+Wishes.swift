// SPDX-License-Identifier: MIT

// What clients ask of a row. What already is succeeds and touches nothing; only a lock refuses
// before trying; a newer wish replaces the one that waits; a toggle never guesses.

extension Row {
  /// A caller wants a value. A wish for what already is succeeds at once and touches nothing.
  package mutating func set(_ on: Bool, ticket: Ticket, origin: Origin) -> [Effect] {
    if isSettled(on) {
      return announce() + [.answer(ticket, .success(Settled(changed: false, isOn: on)))]
    }
    guard allows(on) else { return [.answer(ticket, .failure(lockedError))] }
    return accept(on, ticket: ticket, origin: origin)
  }

  /// A caller wants the other value, counted from the newest accepted wish, or from where the world
  /// is on its way to. A row whose state is unknown is read first: a toggle never guesses.
  package mutating func toggle(ticket: Ticket, origin: Origin) -> [Effect] {
    guard !rules.isLocked else { return [.answer(ticket, .failure(lockedError))] }
    guard let target = toggleTarget else { return read(for: .toggle(ticket, origin: origin)) }
    return accept(target, ticket: ticket, origin: origin)
  }

  /// What a toggle would ask for now; nil where the row has to be read first.
  package var toggleTarget: Bool? {
    if let heading { return !heading }
    switch state {
    case .on: return false
    case .off, .mixed: return true
    case .unknown: return nil
    }
  }

  /// A caller wants the row's default.
  package mutating func reset(ticket: Ticket, origin: Origin) -> [Effect] {
    guard let value = rules.defaultValue else {
      let error = FlipError(
        .invalidArgs,
        "row \(id) has neither a schedule nor a default to go back to; set Default= in its row file"
      )
      return [.answer(ticket, .failure(error))]
    }
    return set(value, ticket: ticket, origin: origin)
  }

  /// A caller wants the backend read again.
  package mutating func refresh(ticket: Ticket) -> [Effect] {
    read(for: .refresh(ticket))
  }

  /// What was known of the backend may be old: the machine slept, or its clock was set. A flip that
  /// is under way is not late before a read has shown what came of it.
  package mutating func readAfresh(ticket: Ticket) -> [Effect] {
    lock = Lock()
    let deadline: [Effect] = flip == nil ? [] : [.arm(.deadline, after: rules.timeout)]
    return deadline + refresh(ticket: ticket)
  }

  /// Whether the row may be given this value: a locked one that is not at its default may be
  /// brought back there.
  package func allows(_ on: Bool) -> Bool {
    !rules.isLocked || on == rules.defaultValue
  }

  var lockedError: FlipError {
    let value = rules.defaultValue.map { $0 ? "on" : "off" } ?? "as it is"
    let file = rules.lockFile ?? "its row file"
    return FlipError(
      .locked, "row \(id) is locked \(value) by the administrator; Locked= is set in \(file)")
  }

  private mutating func accept(_ on: Bool, ticket: Ticket, origin: Origin) -> [Effect] {
    guard let current = flip else {
      return begin(Wish(on: on, tickets: [ticket], origin: origin))
    }
    if let earlier = waiting, earlier.on == on {
      waiting?.tickets.append(ticket)
      // It is done for one of them, as they asked for it: for whoever may more, or else for the
      // newest, who was allowed it for the row as it is now.
      if !earlier.origin.mayMore(than: origin) { waiting?.origin = origin }
      return []
    }
    replaced += (waiting?.tickets ?? []).map { ($0, !on) }
    waiting = nil
    if current.target == on {
      flip?.tickets.append(ticket)
    } else {
      waiting = Wish(on: on, tickets: [ticket], origin: origin)
    }
    return []
  }

  mutating func begin(_ wish: Wish) -> [Effect] {
    serial += 1
    flip = Flip(target: wish.on, serial: serial, origin: wish.origin, tickets: wish.tickets)
    return announce() + [
      .arm(.deadline, after: rules.timeout),
      .write(on: wish.on, serial: serial, origin: wish.origin),
    ]
  }

  mutating func read(for reader: Reader) -> [Effect] {
    if isReading {
      // The read under way may have been answered before the caller asked.
      nextReaders.append(reader)
      return []
    }
    readers.append(reader)
    return startReading()
  }

  mutating func startReading() -> [Effect] {
    guard !isReading else { return [] }
    isReading = true
    return [.read]
  }
}
