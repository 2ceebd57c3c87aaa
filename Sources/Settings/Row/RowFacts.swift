// SPDX-License-Identifier: MIT

/// The part of a row that changes by itself: what its switch shows.
package struct RowFacts: Hashable, Sendable {
  /// The last confirmed value; kept through a loss, false before the first read and while mixed.
  package var isOn = false
  /// By the last reading; unknown before the first and during a loss.
  package var state = SwitchState.unknown
  /// The value that is being brought about, by a flip or by the world.
  package var target: Bool?
  /// Whether what is behind the row can be reached.
  package var isAvailable = false
  /// Whether the administrator has fixed the value.
  package var isLocked = false
  /// Why the row can't be read or flipped now; nil where it can.
  package var reason: Reason?
  /// The same for a person; "" for nothing.
  package var reasonText = ""

  /// The facts of a row that was not read yet.
  package init() {}
}

extension RowFacts {
  /// One fact, for saying which of them differ.
  package struct Names: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    package static let isOn = Names(rawValue: 1 << 0)
    package static let state = Names(rawValue: 1 << 1)
    package static let target = Names(rawValue: 1 << 2)
    package static let isAvailable = Names(rawValue: 1 << 3)
    package static let isLocked = Names(rawValue: 1 << 4)
    package static let reason = Names(rawValue: 1 << 5)
    package static let reasonText = Names(rawValue: 1 << 6)
  }

  /// The facts in which this differs from `other`.
  package func difference(from other: RowFacts) -> Names {
    var names: Names = []
    if isOn != other.isOn { names.insert(.isOn) }
    if state != other.state { names.insert(.state) }
    if target != other.target { names.insert(.target) }
    if isAvailable != other.isAvailable { names.insert(.isAvailable) }
    if isLocked != other.isLocked { names.insert(.isLocked) }
    if reason != other.reason { names.insert(.reason) }
    if reasonText != other.reasonText { names.insert(.reasonText) }
    return names
  }

  /// Makes these facts what they are in `other`.
  package mutating func take(_ names: Names, from other: RowFacts) {
    if names.contains(.isOn) { isOn = other.isOn }
    if names.contains(.state) { state = other.state }
    if names.contains(.target) { target = other.target }
    if names.contains(.isAvailable) { isAvailable = other.isAvailable }
    if names.contains(.isLocked) { isLocked = other.isLocked }
    if names.contains(.reason) { reason = other.reason }
    if names.contains(.reasonText) { reasonText = other.reasonText }
  }
}
