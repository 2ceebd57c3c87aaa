// SPDX-License-Identifier: MIT

import Settings

/// A record of /dev/rfkill: `struct rfkill_event_ext` of <linux/rfkill.h>, which has no gaps.
///
/// A reader gets one a read(2). Those of Linux 5.10 and before end with the eighth byte, and later
/// ones may be longer than what is known here: they only grow at their end.
nonisolated struct RadioEvent: Hashable, Sendable {
  /// RFKILL_OP_ADD and its kin.
  enum Operation: UInt8 {
    case add, remove, change, changeAll
  }

  /// Names one radio for as long as it is there.
  var index: UInt32
  /// RFKILL_TYPE_ALL and its kin, also one that has no class here.
  var type: UInt8
  /// Nil for one that is not known.
  var operation: Operation?
  var isSoftBlocked: Bool
  var isHardBlocked: Bool
  /// RFKILL_HARD_BLOCK_SIGNAL and its kin; none where the kernel doesn't tell.
  var hardReasons: HardReasons

  struct HardReasons: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// A switch, a key or the firmware says so.
    static let signal = HardReasons(rawValue: 1 << 0)
    /// Something else owns the radio, such as a management engine.
    static let notOwner = HardReasons(rawValue: 1 << 1)
  }

  /// The record that asks for a change of all radios of a class, also of those to come.
  static func change(_ radios: RadioClass, isBlocked: Bool) -> [UInt8] {
    [0, 0, 0, 0, radios.type, Operation.changeAll.rawValue, isBlocked ? 1 : 0, 0]
  }

  /// The record that asks for a change of the one radio that this is about.
  func change(isBlocked: Bool) -> [UInt8] {
    withUnsafeBytes(of: index, Array.init)
      + [type, Operation.change.rawValue, isBlocked ? 1 : 0, 0]
  }
}

nonisolated extension RadioEvent {
  /// The most that is read at once: more than the longest record that is known.
  static let room = 64

  /// What read(2) yielded; nil for what is too short to be a record.
  init?(_ record: [UInt8]) {
    guard record.count >= 8 else { return nil }
    index = record.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    type = record[4]
    operation = Operation(rawValue: record[5])
    isSoftBlocked = record[6] != 0
    isHardBlocked = record[7] != 0
    hardReasons = HardReasons(rawValue: record.count > 8 ? record[8] : 0)
  }
}

nonisolated extension RadioClass {
  /// RFKILL_TYPE_ALL and its kin.
  var type: UInt8 {
    switch self {
    case .all: 0
    case .wlan: 1
    case .bluetooth: 2
    case .uwb: 3
    case .wimax: 4
    case .wwan: 5
    case .gps: 6
    case .fm: 7
    case .nfc: 8
    }
  }

  /// Whether a radio of this type is one of them.
  func contains(_ type: UInt8) -> Bool { self == .all || self.type == type }
}
