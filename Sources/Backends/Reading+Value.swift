// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

extension Reading {
  /// What a value means by a row file's On and Off. Without Off what is not on is off, unless it is
  /// of a type that On can't be.
  ///
  /// - Parameter name: what has the value, for messages.
  nonisolated init(_ value: Value, of name: String, on: [VariantText], off: [VariantText]) {
    if on.contains(where: { $0.matches(value) }) {
      self = .on
      return
    }
    let type = value.type
    let fits = on.contains { (try? $0.value(as: type)) != nil }
    if off.contains(where: { $0.matches(value) }) || (off.isEmpty && fits) {
      self = .off
      return
    }
    let expected = fits ? "neither On nor Off" : "not of a type that On can be (it is '\(type)')"
    self = .unreadable(
      Problem(.unrecognised, "\(name) is \(value.text.shortened(to: 60)), \(expected)"))
  }
}
