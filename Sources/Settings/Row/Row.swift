// SPDX-License-Identifier: MIT

/// The state machine of one row: it decides, and its owner acts.
///
/// Wishes and readings come in as method calls; each returns the effects that the owner carries
/// out, in order. The machine knows no bus, no backend, no clock and no timer, so that every rule
/// can be tested as a table. Its invariants:
///
/// - Only a reading changes the state. A flip is over when a reading equals its target, when its
///   write fails, or when its deadline passes; each ticket is answered exactly once.
/// - One flip is under way and one wish waits. A newer wish replaces the waiting one; who was
///   replaced is answered when the row next comes to rest.
/// - `shown` is what the bus has been told. It lags behind the readings only while changes from
///   outside come faster than `announceInterval`.
package struct Row: Sendable {
  /// Names one caller who waits for an answer; chosen by the owner.
  package typealias Ticket = UInt64

  /// Something the owner does for the row.
  package enum Effect: Hashable, Sendable {
    /// Ask the backend what is; answered with `didRead`.
    case read
    /// Ask the backend to bring about a value; answered with `didWrite` and the same serial.
    case write(on: Bool, serial: UInt64, origin: Origin)
    /// Tell the caller of this ticket how it ended; once for each ticket.
    case answer(Ticket, Result<Settled, FlipError>)
    /// The row has become on or off: for the log, once a flip, whoever brought it about.
    case flipped(Bool, Origin)
    /// Tell a person what nobody waits to hear.
    case note(String)
    /// `shown` differs in these facts from what it was; by a flip, or by the world's doing.
    case announce(RowFacts.Names, byFlip: Bool)
    /// Call `timerFired` after this time, in place of an earlier request for the same timer.
    case arm(TimerKind, after: Duration)
    /// Forget the request for this timer, if there is one.
    case disarm(TimerKind)
  }

  /// How a wish ended.
  package struct Settled: Hashable, Sendable {
    /// Whether anything had to be done.
    package let changed: Bool
    /// The confirmed value.
    package let isOn: Bool
  }

  /// What a row waits for, each at most once at a time.
  package enum TimerKind: Hashable, Sendable, CaseIterable {
    /// The flip under way has had its time.
    case deadline
    /// The backend took the write and has not shown it yet: look again.
    case reread
    /// A change from outside was held back.
    case announce
    /// A locked row is to be put right, and was to be so a moment ago: this waits.
    case enforce
  }

  /// The part of a row's definition that decides how it behaves.
  package struct Rules: Hashable, Sendable {
    /// How long a flip may take until it is confirmed.
    package var timeout: Duration
    /// Whether the administrator has fixed the value, at the default.
    package var isLocked: Bool
    /// What Reset goes back to; nil for nothing.
    package var defaultValue: Bool?
    /// The file that has fixed the value, for messages.
    package var lockFile: String?

    /// The rules of a row that is defined so.
    package init(_ definition: RowDefinition) {
      timeout = definition.timeout
      isLocked = definition.isLocked
      defaultValue = definition.defaultValue
      lockFile = definition.lockFile
    }

    /// Rules, complete.
    package init(timeout: Duration, isLocked: Bool, defaultValue: Bool?) {
      self.timeout = timeout
      self.isLocked = isLocked
      self.defaultValue = defaultValue
    }
  }

  struct Wish: Sendable {
    var on: Bool
    var tickets: [Ticket]
    var origin: Origin
  }

  struct Flip: Sendable {
    let target: Bool
    let serial: UInt64
    let origin: Origin
    var tickets: [Ticket]
    var wroteWell = false
    var nextReread = Row.firstReread
  }

  /// Twenty announcements a second, at most, of changes from outside.
  package static let announceInterval = Duration.milliseconds(50)
  static let firstReread = Duration.milliseconds(50)
  static let longestReread = Duration.seconds(1)

  /// The id, for messages.
  package let id: RowID
  /// The rules that hold now; `redefine` changes them.
  package private(set) var rules: Rules
  /// What the bus has been told.
  package private(set) var shown = RowFacts()

  /// What the backend last said, announced or not; nil before the first read.
  package internal(set) var latest: Reading?
  /// The reading that `shown` shows: what a group goes by, as its members' announcements are all
  /// that tells it to look.
  package private(set) var shownReading: Reading?
  /// The last reading that was on, off or mixed, where mixed counts as off; kept through a loss.
  var confirmed = false
  /// The flip under way.
  var flip: Flip?
  /// Whether the bus was ever told of a value: what is found first is no change.
  private var hasShownValue = false
  /// The last flip that came about.
  var lastConfirmed: (serial: UInt64, target: Bool)?
  /// The wish that follows the flip under way.
  var waiting: Wish?
  /// Callers whose wish a newer one took the place of, and what they had wished for.
  var replaced: [(ticket: Ticket, on: Bool)] = []
  /// The newest flip's number, by which late answers are known.
  var serial: UInt64 = 0
  /// Callers whose answer comes with the read that is under way, and with the one after it.
  var readers: [Reader] = []
  var nextReaders: [Reader] = []
  var isReading = false
  var lastOutsideChange: Duration?
  /// What was done to keep a locked row at its default.
  var lock = Lock()

  /// Who waits for a read: a refresh, or a toggle of a row whose state was unknown.
  enum Reader: Sendable {
    case refresh(Ticket)
    case toggle(Ticket, origin: Origin)
  }

  /// A row that nothing is known of yet.
  package init(id: RowID, rules: Rules) {
    self.id = id
    self.rules = rules
    shown = facts
  }

  /// The state by the last reading, announced or not.
  var state: SwitchState {
    latest?.state ?? .unknown
  }

  /// Whether the row has this value already, on its way to no other, and no flip is under way.
  package func isSettled(_ on: Bool) -> Bool {
    !isBusy && latest?.settles(on) ?? false
  }

  /// Whether a flip is under way or waiting.
  package var isBusy: Bool {
    flip != nil || waiting != nil
  }

  /// The value of the newest accepted wish, or that the world is on its way to; nil at rest.
  package var heading: Bool? {
    waiting?.on ?? flip?.target ?? latest?.target
  }

  /// Takes the rules of a changed row file.
  ///
  /// - Parameter hasBackend: whether the backend stays: a lock does nothing to one that goes.
  package mutating func redefine(
    _ rules: Rules, hasBackend: Bool, at now: Duration
  ) -> [Effect] {
    guard rules.isLocked || rules != self.rules else { return [] }
    self.rules = rules
    lock = Lock()
    let refusals = refuseWaiting()
    let step = hasBackend ? lockStep(at: now) : .nothing
    return announce() + refusals + effects(of: step)
  }

  /// Answers those whose wish the lock, which came meanwhile, does not allow.
  private mutating func refuseWaiting() -> [Effect] {
    guard let refused = waiting, !allows(refused.on) else { return [] }
    waiting = nil
    return refused.tickets.map { .answer($0, .failure(lockedError)) }
  }

  /// Answers every caller, because the row goes.
  package mutating func remove() -> [Effect] {
    giveUp(FlipError(.removed, "row \(id) was removed while it was being flipped"))
  }

  /// Starts anew with another backend. The state stays as it was until that has been read.
  package mutating func replaceBackend() -> [Effect] {
    let error = FlipError(
      .unavailable, "row \(id) was changed while it was being flipped; try again")
    return giveUp(error) + announce()
  }

  private mutating func giveUp(_ error: FlipError) -> [Effect] {
    var tickets = replaced.map(\.ticket)
    tickets += flip?.tickets ?? []
    tickets += waiting?.tickets ?? []
    for reader in readers + nextReaders {
      switch reader {
      case .refresh(let ticket), .toggle(let ticket, origin: _): tickets.append(ticket)
      }
    }
    (flip, waiting, replaced, readers, nextReaders) = (nil, nil, [], [], [])
    isReading = false
    return TimerKind.allCases.map(Effect.disarm) + tickets.map { .answer($0, .failure(error)) }
  }
}

// MARK: What the row shows

extension Row {
  /// The facts as they are now, whether announced or not.
  var facts: RowFacts {
    var facts = RowFacts()
    facts.isOn = confirmed
    facts.state = state
    facts.target = flip?.target ?? latest?.target
    facts.isLocked = rules.isLocked
    facts.isAvailable = latest?.isReachable ?? false
    facts.reason = latest?.problem?.reason
    facts.reasonText = latest?.problem?.text ?? ""
    if rules.isLocked {
      let text = facts.reason.map { _ in "; \(facts.reasonText)" } ?? ""
      facts.reasonText = obstacleText ?? "locked by the administrator\(text)"
      facts.reason = .locked
    }
    return facts
  }

  /// Shows the facts as they are now.
  mutating func announce(byFlip: Bool = true) -> [Effect] {
    let facts = facts
    let names = facts.difference(from: shown)
    shownReading = latest
    guard !names.isEmpty else { return [] }
    shown = facts
    var effects: [Effect] = [.announce(names, byFlip: byFlip)]
    if names.contains(.isOn), hasShownValue, !byFlip {
      effects.append(.flipped(facts.isOn, Origin(.outside)))
    }
    if facts.state != .unknown { hasShownValue = true }
    return effects
  }

  /// Shows a change from outside now, or a little later if they come too fast.
  mutating func announceOutsideChange(at now: Duration) -> [Effect] {
    guard facts != shown else { return [.disarm(.announce)] }
    if let last = lastOutsideChange, now < last + Row.announceInterval {
      return [.arm(.announce, after: last + Row.announceInterval - now)]
    }
    lastOutsideChange = now
    return announce(byFlip: false)
  }
}
