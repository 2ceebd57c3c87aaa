// SPDX-License-Identifier: MIT

/// The state machine of one airplane switch: it decides, and its owner acts.
///
/// What the switch shows is its own wish, and never a guess from its members: radios that happen to
/// be off are not airplane mode, and one that is turned on by hand does not end it. It knows of
/// each member what was last read of it, and of some that they are `blocked`: turned off by the
/// switch, and by nobody touched since. Its invariants:
///
/// - Only a client's flip changes the wish; what it means to do is on the disk before it acts, and
///   what it did before it is answered. A flip to on in which the daemon ended is gone on with by
///   the next one: what the record says is on is to be so.
/// - A member that goes away (no device, no service, not readable) was touched by nobody. If it
///   comes back on, or comes on within `settleTime` of coming back, some program did that for
///   every adapter it finds: it is turned off again, once for each return. One that turns from off
///   to mixed has an adapter more, and that is a return too.
/// - A member that is turned on otherwise is somebody's wish: it is let be, and forgotten.
package struct Airplane: Sendable {
  /// Something the owner does for the switch.
  package enum Effect: Hashable, Sendable {
    /// Flip a member as a client would; answered with `didFlip` and the same serial.
    case flip(RowID, on: Bool, serial: UInt64)
    /// Put this on the disk; answered with `didSave` and the same serial.
    case save(AirplaneRecord, serial: UInt64)
    /// Tell the caller of a flip how it ended, nil for well; once for each.
    case finish(FlipError?)
    /// Tell a person what nobody waits to hear.
    case note(String)
  }

  /// What is known of a member.
  enum Presence: Hashable {
    case unseen
    case away(Problem)
    case on
    /// Since when it is back, where it was away; until it has settled.
    case off(returned: Duration?)

    var isAbsent: Bool {
      if case .away(let problem) = self { problem.isAbsence } else { false }
    }

    var isAway: Bool {
      if case .away = self { true } else { false }
    }

    var isOff: Bool {
      if case .off = self { true } else { false }
    }
  }

  /// A client's flip under way.
  struct Change {
    /// What a change waits for.
    enum Step {
      /// What it means to do is being put on the disk.
      case recording
      case flipping
      /// A member could not be turned off: those that were are turned on again.
      case undoing
      /// What it did is being put on the disk.
      case closing
    }

    let on: Bool
    var step: Step
    /// The members it has to flip, and those of them that have not answered.
    var targets: [RowID]
    var pending: Set<RowID> = []
    /// The members that were on when it began.
    var added: Set<RowID> = []
    var failures: [(id: RowID, error: FlipError)] = []
    /// Of the save that it waits for.
    var saveSerial: UInt64 = 0
  }

  /// How long a member that came back is watched for a program that turns on what it finds.
  package static let settleTime = Duration.seconds(10)

  /// The rows that the switch turns off, in the order of the row file.
  let members: [RowID]
  private let boot: String
  /// Whether the machine has been started since the record was written.
  let isNewBoot: Bool
  /// The wish; nil where it was lost.
  var wish: Bool?
  /// Why the wish is not known.
  private let trouble: Problem?
  /// See `AirplaneRecord`. Not all of them need be members still.
  var blocked: Set<RowID>
  /// Those of them that the daemon before this one may not have come to: it ended in a flip.
  var unfinished: Set<RowID> = []
  var presence: [RowID: Presence] = [:]
  var change: Change?
  /// When a member was last turned off again.
  var reasserted: [RowID: Duration] = [:]
  /// The newest flip of each member that has not been answered.
  var inFlight: [RowID: (serial: UInt64, on: Bool)] = [:]
  private(set) var lastSerial: UInt64 = 0

  /// A switch that begins.
  ///
  /// - Parameters:
  ///   - record: what it was, nil where it was never flipped, or why that can't be known.
  ///   - boot: the kernel's boot id.
  package init(members: [RowID], record: Result<AirplaneRecord?, Problem>, boot: String) {
    self.members = members
    self.boot = boot
    switch record {
    case .success(let record):
      (wish, blocked, trouble) = (record?.isOn ?? false, record?.blocked ?? [], nil)
      isNewBoot = record.map { $0.boot != boot } ?? false
      if record?.isUnfinished == true { unfinished = blocked.intersection(members) }
    case .failure(let problem):
      (wish, blocked, trouble) = (nil, [], problem)
      isNewBoot = false
    }
  }

  /// What is to be done at once: from here on a start of the daemon is not one of the machine.
  package mutating func start() -> [Effect] {
    isNewBoot && wish == true && !blocked.isEmpty ? [save()] : []
  }

  /// What the switch shows: its wish; and beside it why there is nothing to switch, where no member
  /// is there.
  package var reading: Reading {
    guard let wish else {
      return .unreadable(trouble ?? Problem(.failed, "the switch's state was lost"))
    }
    var absence: Problem?
    for id in members {
      guard case .away(let problem)? = presence[id], problem.isAbsence else {
        return Reading(wish)
      }
      absence = absence ?? Problem(problem.reason, "no radio is there; \(id): \(problem.text)")
    }
    return Reading(wish).with(absence)
  }

  /// Whether a member has to be read before a flip can tell what to do with it.
  package func isUnknown(_ id: RowID) -> Bool {
    switch presence[id] ?? .unseen {
    case .unseen: true
    case .away(let problem): !problem.isAbsence
    case .on, .off: false
    }
  }

  /// The record as of now, on its way to the disk.
  mutating func save() -> Effect {
    let isTurningOn = change.map { $0.on && ($0.step == .recording || $0.step == .flipping) }
    let record = AirplaneRecord(
      isOn: recordedWish, blocked: blocked, isUnfinished: isTurningOn ?? !unfinished.isEmpty,
      boot: boot)
    return .save(record, serial: nextSerial())
  }

  /// The wish, as a start of the daemon is to find it: ahead of what is shown while it is turned
  /// on.
  var recordedWish: Bool {
    let wish = wish ?? false
    guard let change else { return wish }
    return switch change.step {
    case .recording, .flipping: change.on || wish
    case .undoing: wish
    case .closing: change.on && wish
    }
  }

  mutating func flip(_ id: RowID, _ on: Bool) -> Effect {
    let serial = nextSerial()
    inFlight[id] = (serial, on)
    return .flip(id, on: on, serial: serial)
  }

  private mutating func nextSerial() -> UInt64 {
    lastSerial += 1
    return lastSerial
  }
}
