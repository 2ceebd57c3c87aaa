// SPDX-License-Identifier: MIT

extension RemoteError {
  private static let standard = "org.freedesktop.DBus.Error."

  /// There is no object where one was asked for: no such row.
  nonisolated var isUnknownObject: Bool { name == Self.standard + "UnknownObject" }

  /// The connection to the bus broke.
  nonisolated var isLoss: Bool { name == Self.standard + "Disconnected" }

  /// It takes a password, and nobody was asked for it.
  nonisolated var takesPassword: Bool {
    name == Self.standard + "InteractiveAuthorizationRequired"
  }

  /// Whoever asked may not; a password that was wrong, or not given, comes to the same.
  nonisolated var isDenial: Bool { name == Self.standard + "AccessDenied" }

  /// Nobody has the daemon's name. When the bus was asked to start it, all that may keep it from
  /// doing so counts: no such service, a start that fails or takes too long, a masked unit.
  nonisolated func isAbsence(afterStarting: Bool) -> Bool {
    let names = ["ServiceUnknown", "NameHasNoOwner"].map { Self.standard + $0 }
    if names.contains(name) { return true }
    guard afterStarting else { return false }
    return name == Self.standard + "TimedOut" || name.hasPrefix(Self.standard + "Spawn.")
      || name.hasPrefix("org.freedesktop.systemd1.")
  }
}
