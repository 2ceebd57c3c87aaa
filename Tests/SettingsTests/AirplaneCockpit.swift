// SPDX-License-Identifier: MIT

import Settings
import Testing

/// An airplane switch over radios that do as they are told, unless the test says otherwise, with a
/// clock that only the test moves.
struct Cockpit {
  /// Two radios and one that comes and goes.
  static let wifi = radio("wifi")
  static let bluetooth = radio("bluetooth")
  static let mobile = radio("mobile")

  private static func radio(_ name: String) -> RowID {
    guard let id = RowID(name) else { preconditionFailure("\(name) is no id") }
    return id
  }

  static let gone = Problem(.noDevice, "there is no adapter")

  private(set) var airplane: Airplane
  /// What each radio is.
  private(set) var radios: [RowID: Reading] = [:]
  /// What the switch did, a word each: `wifi off`, `save on wifi`, `ended`, `failed timedOut`.
  private(set) var journal: [String] = []
  /// The last record that is on the disk.
  private(set) var disk: AirplaneRecord?
  /// What was told of a flip that failed, and notes.
  private(set) var texts: [String] = []
  private(set) var now = Duration.seconds(100)

  /// Radios that answer a flip with this error, or with none at all.
  var errors: [RowID: FlipError] = [:]
  var silent: Set<RowID> = []
  var saveError: FlipError?

  init(
    _ radios: [RowID: Reading], record: Result<AirplaneRecord?, Problem> = .success(nil),
    boot: String = "1", errors: [RowID: FlipError] = [:]
  ) {
    self.errors = errors
    let members = [Self.wifi, Self.bluetooth, Self.mobile].filter { radios[$0] != nil }
    airplane = Airplane(members: members, record: record, boot: boot)
    if case .success(let record) = record { disk = record }
    perform(airplane.start())
    for id in members { read(id, radios[id] ?? .off) }
  }

  /// The same radios under another daemon, which has read them.
  func restarted(boot: String = "1", _ changed: [RowID: Reading] = [:]) -> Cockpit {
    Cockpit(radios.merging(changed) { $1 }, record: .success(disk), boot: boot)
  }

  // MARK: What happens

  /// A client flips the switch.
  mutating func flip(_ on: Bool, heading: [RowID: Bool] = [:]) {
    perform(airplane.flip(on, heading: heading))
  }

  /// A radio becomes another from outside.
  mutating func read(_ id: RowID, _ reading: Reading, byFlip: Bool = false) {
    guard radios[id] != reading else { return }
    radios[id] = reading
    perform(airplane.didRead(id, reading, byFlip: byFlip, at: now))
  }

  mutating func goAway(_ id: RowID) { read(id, .unreadable(Self.gone)) }

  mutating func pass(_ time: Duration) { now += time }

  mutating func sleep() { airplane.didSleep(at: now) }

  mutating func outOfTime() { perform(airplane.outOfTime()) }

  /// A radio answers the newest flip that it was silent about.
  mutating func answer(_ id: RowID, _ error: FlipError? = nil) {
    guard let (on, serial) = open.removeValue(forKey: id) else { return }
    finishFlip(id, on, serial, error)
  }

  /// What was done since this was last asked.
  mutating func takeJournal() -> [String] {
    defer { journal = [] }
    return journal
  }

  // MARK: Effects

  private(set) var open: [RowID: (on: Bool, serial: UInt64)] = [:]

  private mutating func perform(_ effects: [Airplane.Effect]) {
    for effect in effects {
      switch effect {
      case .flip(let id, let on, let serial):
        journal.append("\(id) \(on ? "on" : "off")")
        if silent.contains(id) {
          open[id] = (on, serial)
        } else {
          finishFlip(id, on, serial, errors[id])
        }
      case .save(let record, let serial):
        let names = record.blocked.sorted().map { " \($0)" }.joined()
        // That a flip is over is no news beside what it meant to do.
        var over = disk
        over?.isUnfinished = record.isUnfinished
        if over != record { journal.append("save \(record.isOn ? "on" : "off")\(names)") }
        if saveError == nil { disk = record }
        perform(airplane.didSave(saveError.map { .failure($0) } ?? .success(()), serial: serial))
      case .finish(let error):
        journal.append(error.map { "failed \($0.kind)" } ?? "ended")
        if let error { texts.append(error.message) }
      case .note(let text): texts.append(text)
      }
    }
  }

  private mutating func finishFlip(
    _ id: RowID, _ on: Bool, _ serial: UInt64, _ error: FlipError?
  ) {
    if error == nil { read(id, Reading(on), byFlip: true) }
    perform(airplane.didFlip(id, error.map { .failure($0) } ?? .success(()), serial: serial))
  }
}
