// SPDX-License-Identifier: MIT

import Testing

@testable import Settings

/// Drives a row and keeps what it asked for, with a clock that only the test moves.
struct Driver {
  var row: Row
  var now = Duration.seconds(100)
  var effects: [Row.Effect] = []

  init(
    locked: Bool = false, defaultValue: Bool? = nil, timeout: Duration = .seconds(10),
    reading: Reading? = nil
  ) {
    let rules = Row.Rules(timeout: timeout, isLocked: locked, defaultValue: defaultValue)
    row = Row(id: RowID(orUnnamed: "row"), rules: rules)
    if let reading { observe(reading) }
    effects = []
    now += .seconds(10)
  }

  mutating func observe(_ reading: Reading) { effects += row.didObserve(reading, at: now) }
  mutating func answerRead(_ reading: Reading) { effects += row.didRead(reading, at: now) }
  mutating func set(_ on: Bool, _ ticket: Row.Ticket, origin: Origin = .nobody) {
    effects += row.set(on, ticket: ticket, origin: origin)
  }
  mutating func toggle(_ ticket: Row.Ticket) {
    effects += row.toggle(ticket: ticket, origin: .nobody)
  }
  mutating func write(_ result: Result<Void, FlipError> = .success(())) {
    effects += row.didWrite(result, serial: lastSerial, at: now)
  }
  mutating func readAfresh(_ ticket: Row.Ticket) { effects += row.readAfresh(ticket: ticket) }
  mutating func refresh(_ ticket: Row.Ticket) { effects += row.refresh(ticket: ticket) }
  mutating func enforceAgain() { effects += row.enforceAgain(at: now) }
  mutating func redefine(locked: Bool, defaultValue: Bool?, hasBackend: Bool = true) {
    let rules = Row.Rules(
      timeout: row.rules.timeout, isLocked: locked, defaultValue: defaultValue)
    effects += row.redefine(rules, hasBackend: hasBackend, at: now)
  }
  mutating func fire(_ timer: Row.TimerKind) { effects += row.timerFired(timer, at: now) }

  /// The effects since the last call.
  mutating func take() -> [Row.Effect] {
    defer { effects = [] }
    return effects
  }

  private(set) var lastSerial: UInt64 {
    get { row.serial }
    set {}
  }

  func answer(_ ticket: Row.Ticket) -> Result<Row.Settled, FlipError>? {
    let answers = effects.compactMap { effect -> Result<Row.Settled, FlipError>? in
      guard case .answer(ticket, let result) = effect else { return nil }
      return result
    }
    #expect(answers.count < 2, "ticket \(ticket) was answered \(answers.count) times")
    return answers.first
  }

  var flips: [Row.Effect] {
    effects.filter { if case .flipped = $0 { true } else { false } }
  }

  var notes: [String] {
    effects.compactMap { if case .note(let text) = $0 { text } else { nil } }
  }

  var writes: [Bool] {
    effects.compactMap { effect in
      guard case .write(let on, _, _) = effect else { return nil }
      return on
    }
  }

  var announcements: [RowFacts.Names] {
    effects.compactMap { effect in
      guard case .announce(let names, _) = effect else { return nil }
      return names
    }
  }
}

func settled(_ changed: Bool, _ on: Bool) -> Result<Row.Settled, FlipError> {
  .success(Row.Settled(changed: changed, isOn: on))
}

extension Result where Failure == FlipError {
  var errorKind: FlipError.Kind? {
    guard case .failure(let error) = self else { return nil }
    return error.kind
  }
}
