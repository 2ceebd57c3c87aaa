// SPDX-License-Identifier: MIT

package import EventLoop
package import Settings

/// A row as an airplane switch sees it.
package protocol AirplaneMember: GroupMember {
  /// What the row was last found to be, whether it was announced yet or not.
  var latestReading: Reading? { get }
  /// The value that the row is on its way to; nil at rest.
  var heading: Bool? { get }

  /// Has the row read, and says when that is done.
  func readAgain(_ completion: @escaping () -> Void)
}

/// One switch that turns radios off, and brings back those that it turned off; see `Airplane`,
/// which decides all of it.
package final class AirplaneBackend: Backend {
  private typealias Flip = (on: Bool, origin: Origin, completion: (Result<Void, FlipError>) -> Void)

  private var airplane: Airplane
  private let members: [RowID]
  private let path: String
  private let values: StoredValues
  private let timeout: Duration
  private let loop: EventLoop
  private let find: (RowID) -> (any AirplaneMember)?
  private var report: ((Reading) -> Void)?
  private var reported: Reading?
  /// The flip under way, and those that wait for its end.
  private var flips: [Flip] = []
  private var deadline: Timer?
  private var began = Duration.zero
  /// Counts the flips, while one waits for members to be read.
  private var preparation: UInt64?
  private var lastPreparation: UInt64 = 0

  /// - Parameters:
  ///   - timeout: how long a flip has; before that is over, it says which member was too slow.
  ///   - find: finds a member, or nil while there is no row of that id.
  package init(
    _ definition: AirplaneBackendDefinition, id: RowID, timeout: Duration, values: StoredValues,
    loop: EventLoop, find: @escaping (RowID) -> (any AirplaneMember)?
  ) {
    members = definition.members
    // A row that keeps a value of another type has a file of another name.
    path = "\(values.directory)/\(id).airplane"
    (self.timeout, self.values, self.loop, self.find) = (timeout, values, loop, find)
    airplane = Airplane(
      members: definition.members,
      record: values.load(path, limit: Self.sizeLimit) { AirplaneRecord($0) },
      boot: values.bootID)
  }

  /// More than any row file can list, with as much again of rows that are no members any more.
  private static let sizeLimit = 256 * 1024

  package func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    perform(airplane.start())
    for id in members {
      if let reading = find(id)?.latestReading { memberWasRead(id, reading, byFlip: false) }
    }
    tellNews()
  }

  package func memberWasRead(_ id: RowID, _ reading: Reading, byFlip: Bool) {
    guard report != nil else { return }
    perform(airplane.didRead(id, reading, byFlip: byFlip, at: EventLoop.now))
  }

  package func didSleep() {
    airplane.didSleep(at: EventLoop.now)
  }

  package func read(_ completion: @escaping (Reading) -> Void) {
    completion(airplane.reading)
  }

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    flips.append((on, origin, completion))
    if flips.count == 1 { begin(on) }
  }

  package func stop() {
    report = nil
    deadline = nil
    flips = []
  }

  // MARK: A flip

  /// What a member is decides what is to become of it, so those that could not be read are first.
  private func begin(_ on: Bool) {
    began = EventLoop.now
    lastPreparation += 1
    preparation = lastPreparation
    let unknown = members.filter(airplane.isUnknown).compactMap(find)
    guard !unknown.isEmpty else { return flip(on, lastPreparation) }
    deadline = loop.after(timeout * 3 / 10) { [weak self, lastPreparation] in
      self?.flip(on, lastPreparation)
    }
    var left = unknown.count
    for member in unknown {
      member.readAgain { [weak self, lastPreparation] in
        left -= 1
        if left == 0 { self?.flip(on, lastPreparation) }
      }
    }
  }

  private func flip(_ on: Bool, _ prepared: UInt64) {
    guard preparation == prepared, report != nil else { return }
    preparation = nil
    var heading: [RowID: Bool] = [:]
    for id in members { heading[id] = find(id)?.heading }
    // A tenth each for those that are late, to be turned on again and to be told of.
    deadline = loop.after(began + timeout * 8 / 10 - EventLoop.now) { [weak self] in
      guard let self else { return }
      deadline = loop.after(timeout / 10) { [weak self] in self?.outOfTime() }
      outOfTime()
    }
    perform(airplane.flip(on, heading: heading))
  }

  private func outOfTime() {
    perform(airplane.outOfTime())
  }

  private func finish(_ error: FlipError?) {
    deadline = nil
    // It is the first of them until it has been answered: a flip that the answer leads to waits.
    flips.first?.completion(error.map { .failure($0) } ?? .success(()))
    guard report != nil else { return }
    flips.removeFirst()
    if let next = flips.first { begin(next.on) }
  }

  // MARK: Effects

  private func perform(_ effects: [Airplane.Effect]) {
    for effect in effects { perform(effect) }
    tellNews()
  }

  private func perform(_ effect: Airplane.Effect) {
    switch effect {
    case .flip(let id, let on, let serial):
      guard let member = find(id) else {
        let error = FlipError(.removed, "there is no row \(id) any more")
        return perform(airplane.didFlip(id, .failure(error), serial: serial))
      }
      member.flip(on, for: flips.first?.origin.withoutQuestions ?? Origin(.hold)) {
        [weak self] result in
        guard let self, report != nil else { return }
        perform(airplane.didFlip(id, result, serial: serial))
      }
    case .save(let record, let serial):
      values.keep(record.text, at: path) { [weak self] result in
        guard let self, report != nil else { return }
        perform(airplane.didSave(result, serial: serial))
      }
    case .finish(let error): finish(error)
    case .note(let text): values.notice(text)
    }
  }

  private func tellNews() {
    let reading = airplane.reading
    guard reading != reported, let report else { return }
    reported = reading
    report(reading)
  }
}
