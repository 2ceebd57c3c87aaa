// SPDX-License-Identifier: MIT

import Settings

/// The radios that are there, as the kernel's records tell of them.
nonisolated struct Radios: Equatable, Sendable {
  /// By index, which is another one each time the radio comes.
  private(set) var radios: [UInt32: Radio] = [:]

  struct Radio: Equatable, Sendable {
    let type: UInt8
    var isSoftBlocked: Bool
    var isHardBlocked: Bool
    var hardReasons: RadioEvent.HardReasons

    var isOn: Bool { !isSoftBlocked && !isHardBlocked }
  }

  mutating func take(_ event: RadioEvent) {
    switch event.operation {
    // A change of a radio that was not told of is as good as its coming.
    case .add, .change:
      radios[event.index] = Radio(
        type: event.type, isSoftBlocked: event.isSoftBlocked, isHardBlocked: event.isHardBlocked,
        hardReasons: event.hardReasons)
    case .remove: radios[event.index] = nil
    case .changeAll:
      for (index, radio) in radios where event.type == 0 || event.type == radio.type {
        radios[index]?.isSoftBlocked = event.isSoftBlocked
      }
    case nil: break
    }
  }

  /// Those of a class.
  func members(of wanted: RadioClass) -> [Radio] {
    radios.values.filter { wanted.contains($0.type) }
  }

  /// On when all radios of the class are, mixed when some are. A radio is on that is not blocked.
  func reading(of wanted: RadioClass) -> Reading {
    let members = members(of: wanted)
    guard !members.isEmpty else { return .unreadable(absence(of: wanted)) }
    let on = members.count(where: \.isOn)
    if on == members.count { return .on }
    return (on == 0 ? Reading.off : .mixed).with(hardBlock(of: wanted))
  }

  func absence(of wanted: RadioClass) -> Problem {
    Problem(.noDevice, "there is no \(wanted.name.map { "\($0) " } ?? "")radio")
  }

  /// What keeps radios of the class off, whatever is written; nil for nothing.
  func hardBlock(of wanted: RadioClass) -> Problem? {
    let blocked = radios.filter { wanted.contains($0.value.type) && $0.value.isHardBlocked }
    guard let first = blocked.keys.min(), let radio = blocked[first] else { return nil }
    let others = blocked.count > 1 ? " and \(blocked.count - 1) more" : ""
    let owner = "something else owns it, such as the machine's management engine"
    let cause =
      switch (radio.hardReasons.contains(.signal), radio.hardReasons.contains(.notOwner)) {
      case (false, true): owner
      case (true, true): "its switch or key is off, and \(owner)"
      // Also where the kernel doesn't tell.
      case (_, false): "use the machine's own switch or key, or its firmware's setup"
      }
    return Problem(.hardBlocked, "rfkill\(first)\(others) is blocked by the hardware: \(cause)")
  }
}
