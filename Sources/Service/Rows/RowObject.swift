// SPDX-License-Identifier: MIT

import Backends
import DBus
import DBusTypes
import EventLoop
import Settings

/// A row at work, and on the bus: it carries out what the state machine decides.
///
/// Everything that happens to the row ends in `perform`, which keeps one queue: a backend that
/// answers before its call returns only adds to the end of it, so effects are carried out in the
/// order in which they were decided.
final class RowObject {
  typealias Completion = (Result<Row.Settled, FlipError>) -> Void

  private(set) var definition: RowDefinition
  private(set) var face: RowFace
  private(set) var row: Row
  private(set) var isRemoved = false
  private let loop: EventLoop
  private let locale: Locale
  private unowned let observer: any RowObserver
  /// The row's interface on the bus, while it is published.
  var binding: InterfaceBinding?
  private var backend: (any Backend)?
  private var timers: [Row.TimerKind: Timer] = [:]
  private var completions: [Row.Ticket: Completion] = [:]
  private var lastTicket: Row.Ticket = 0
  private var queue: [Row.Effect] = []
  private var isPerforming = false
  /// The facts as they were last announced, and as the last signal that left showed them. They
  /// differ while changes wait in `binding`.
  private var told: RowFacts
  private var sent: RowFacts

  init(
    _ definition: RowDefinition, locale: Locale, loop: EventLoop, observer: any RowObserver
  ) {
    self.definition = definition
    self.locale = locale
    self.loop = loop
    self.observer = observer
    face = RowFace(definition, locale: locale)
    row = Row(id: definition.id, rules: Row.Rules(definition))
    told = row.shown
    sent = row.shown
  }

  var id: RowID { definition.id }
  /// What the bus is told. The row is ahead of it while effects wait for their turn: an answer
  /// among them may lead to the next wish, and what that changes has its own signal.
  var facts: RowFacts { told }

  /// What has to be allowed for turning it to that value, and for all that this turns with it.
  func permissions(toTurn on: Bool) -> [Permission] {
    observer.permissions(toTurn: self, on)
  }

  /// The polkit actions that a flip of this row alone takes.
  var polkitActions: Set<String> {
    backend?.polkitActions(rowAction: definition.flipAction)
      ?? definition.backend.polkitActions(rowAction: definition.flipAction)
  }

  /// Has a group look at its members again; nothing for a row of another type.
  ///
  /// - Parameter byFlip: whether it was a flip that changed one of them.
  func membersChanged(byFlip: Bool) {
    guard let reading = backend?.news else { return }
    observe(reading, byFlip: byFlip)
  }

  /// Tells an airplane switch what one of its members was found to be; nothing for a row of another
  /// type.
  func memberWasRead(_ member: RowID, _ reading: Reading, byFlip: Bool) {
    backend?.memberWasRead(member, reading, byFlip: byFlip)
  }

  /// Tells an airplane switch that the machine slept; nothing for a row of another type.
  func didSleep() {
    backend?.didSleep()
  }

  // MARK: The life of the row

  /// Puts a backend behind the row, in place of an earlier one.
  func start(_ backend: any Backend) {
    if self.backend != nil {
      self.backend?.stop()
      perform(row.replaceBackend())
    }
    self.backend = backend
    backend.start { [weak self] reading in
      self?.observe(reading)
    }
  }

  /// Takes a changed definition. Where the backend became another, `start` is to follow.
  func redefine(_ definition: RowDefinition, needsBackend: Bool) {
    let oldFace = face
    self.definition = definition
    face = RowFace(definition, locale: locale)
    perform(row.redefine(Row.Rules(definition), hasBackend: !needsBackend, at: EventLoop.now))
    noteWhatWasSent()
    binding?.changed(face.difference(from: oldFace))
  }

  /// Has the lock of the row try again what it gave up.
  func enforceLock() {
    perform(row.enforceAgain(at: EventLoop.now))
  }

  /// Answers everyone who waits, and lets go of the backend.
  func remove() {
    isRemoved = true
    backend?.stop()
    backend = nil
    perform(row.remove())
  }

  // MARK: Wishes

  func set(_ on: Bool, for origin: Origin, _ completion: @escaping Completion) {
    perform(row.set(on, ticket: ticket(for: origin, completion), origin: origin))
  }

  func toggle(for origin: Origin, _ completion: @escaping Completion) {
    perform(row.toggle(ticket: ticket(for: origin, completion), origin: origin))
  }

  func reset(for origin: Origin, _ completion: @escaping Completion) {
    perform(row.reset(ticket: ticket(for: origin, completion), origin: origin))
  }

  func refresh(_ completion: @escaping Completion) {
    perform(row.refresh(ticket: ticket(for: Origin(.outside), completion)))
  }

  /// What was known may be old, as after a sleep. A flip that was under way has its time again.
  func readAfresh() {
    perform(row.readAfresh(ticket: ticket(for: Origin(.outside)) { _ in }))
  }

  private func ticket(for origin: Origin, _ completion: @escaping Completion) -> Row.Ticket {
    lastTicket += 1
    completions[lastTicket] = { [weak self] result in
      guard let self, case .success(let settled) = result, settled.changed, settled.isOn else {
        return completion(result)
      }
      observer.row(self, wasTurnedOnFor: origin) { completion(result) }
    }
    return lastTicket
  }

  // MARK: Effects

  /// - Parameter first: called before any of the effects is carried out.
  private func perform(_ effects: [Row.Effect], after first: () -> Void = {}) {
    queue += effects
    guard !isPerforming else { return first() }
    isPerforming = true
    defer { isPerforming = false }
    first()
    var next = 0
    while next < queue.count {
      perform(queue[next])
      next += 1
    }
    queue.removeAll(keepingCapacity: true)
  }

  private func perform(_ effect: Row.Effect) {
    switch effect {
    case .read: read()
    case .write(let on, let serial, let origin): write(on, serial, origin)
    case .flipped(let on, let origin): observer.row(self, wasTurned: on, for: origin)
    case .note(let text): observer.row(self, notes: text)
    case .answer(let ticket, let result): completions.removeValue(forKey: ticket)?(result)
    case .announce(let names, let byFlip):
      tellBus(names)
      observer.row(self, changed: names, byFlip: byFlip)
    case .arm(let kind, let delay):
      timers[kind] = loop.after(delay) { [weak self] in
        guard let self else { return }
        timers[kind] = nil
        perform(row.timerFired(kind, at: EventLoop.now))
      }
    case .disarm(let kind): timers[kind] = nil
    }
  }

  /// Has a signal tell of the facts that changed, but for those that are back to what the bus was
  /// last sent, such as the target of a flip that was over at once.
  private func tellBus(_ names: RowFacts.Names) {
    noteWhatWasSent()
    told.take(names, from: row.shown)
    let news = told.difference(from: sent)
    binding?.changed(names.intersection(news).propertyNames)
    binding?.unchanged(names.subtracting(news).propertyNames)
  }

  /// Whether the bus has yet to be sent the row's value.
  var hasUnsentValue: Bool { told.isOn != sent.isOn }

  /// To be called before anything is marked as changed: while nothing waits, all that was told has
  /// been sent.
  private func noteWhatWasSent() {
    if binding?.hasPendingChanges != true { sent = told }
  }

  private func read() {
    guard let backend else { return }
    backend.read { [weak self, weak backend] reading in
      // A read of a backend that the row no longer has says nothing.
      guard let self, let backend, backend === self.backend else { return }
      take(orient(reading)) { $0.didRead($1, at: $2) }
    }
  }

  private func observe(_ reading: Reading, byFlip: Bool = false) {
    take(orient(reading), byFlip: byFlip) { $0.didObserve($1, byFlip: byFlip, at: $2) }
  }

  /// Has the row take a reading. Who follows each reading is told before those who wait for one.
  private func take(
    _ reading: Reading, byFlip: Bool = false,
    _ step: (inout Row, Reading, Duration) -> [Row.Effect]
  ) {
    let isNews = reading != row.latest
    let byFlip = byFlip || row.isBusy
    let effects = step(&row, reading, EventLoop.now)
    perform(effects) {
      if isNews { observer.row(self, wasRead: reading, byFlip: byFlip) }
    }
  }

  private func write(_ on: Bool, _ serial: UInt64, _ origin: Origin) {
    guard let backend else { return }
    // The wish may have waited while the row's file, or what serves the row, became another.
    if let denial = denial(of: origin) {
      return perform(row.didWrite(.failure(denial), serial: serial, at: EventLoop.now))
    }
    backend.write(on != definition.backend.isInverted, for: origin) { [weak self] result in
      guard let self else { return }
      perform(row.didWrite(result, serial: serial, at: EventLoop.now))
    }
  }

  private func orient(_ reading: Reading) -> Reading {
    definition.backend.isInverted ? reading.inverted : reading
  }
}
