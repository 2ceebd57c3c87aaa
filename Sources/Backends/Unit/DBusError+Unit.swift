// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

extension DBusError {
  /// Whether systemd has no such unit loaded, or knows of none.
  nonisolated var isNoSuchUnit: Bool { name == "org.freedesktop.systemd1.NoSuchUnit" }

  /// Whether systemd itself says so of a unit. When another service is called, the same names mean
  /// that it could not be started.
  nonisolated fileprivate var isOfSystemd: Bool {
    name.rawValue.hasPrefix("org.freedesktop.systemd1.")
  }
}

extension Problem {
  /// What a reading of a unit that failed says of a row.
  nonisolated init(_ error: DBusError, unit: String) {
    if error.isOfSystemd {
      self.init(.failed, "\(unit): \(error.words)")
      return
    }
    self.init(error, service: .systemd)
    // Whether there is such a unit systemd tells otherwise. This is one that isn't itself.
    if reason == .notFound { self.init(.failed, "\(unit): \(text)") }
  }
}

extension FlipError {
  /// What systemd's refusal of a flip says to the caller.
  nonisolated init(_ error: DBusError, unit: UnitBackendDefinition) {
    switch error.name {
    case _ where error.isNoSuchUnit:
      self.init(.unavailable, "there is no unit \(unit.unit)")
    case "org.freedesktop.systemd1.UnitMasked":
      self.init(.unavailable, "\(unit.unit) is masked; \(unit.systemctl) unmask \(unit.unit)")
    case _ where error.isOfSystemd:
      self.init(.backendFailed, "\(unit.unit): \(error.words)")
    default:
      self.init(error, service: .systemd)
    }
  }
}
