// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

extension Problem {
  /// What a failed reading says of a row.
  nonisolated init(_ error: DBusError, service: BusName) {
    switch error.kind {
    case .absence: self.init(.noService, "\(service) is not running: \(error.words)")
    case .denial: self.init(.noAccess, "\(service) refuses: \(error.words)")
    case .silence: self.init(.timeout, "\(service) does not answer")
    case .unknown: self.init(.notFound, "\(service): \(error.words)")
    // The arguments of a reading are names: GDBus says so of a property that does not exist.
    case .other where error.name == .invalidArgs:
      self.init(.notFound, "\(service): \(error.words)")
    case .other: self.init(.failed, "\(service): \(error.words)")
    }
  }
}

extension FlipError {
  /// What a failed write says to the caller: the backend's own answer.
  nonisolated init(_ error: DBusError, service: BusName) {
    switch error.kind {
    case .absence:
      self.init(
        .unavailable,
        "\(service) is not running and can't be started (\(error.words)); install or start it")
    case .denial:
      let kind: Kind =
        error.name == .interactiveAuthorizationRequired
        ? .interactiveAuthorizationRequired : .accessDenied
      self.init(kind, "\(service) refuses: \(error.words)")
    case .silence: self.init(.timedOut, "\(service) did not answer in time")
    case .unknown: self.init(.unavailable, "\(service): \(error.words)")
    case .other: self.init(.backendFailed, "\(service): \(error.words)")
    }
  }
}

extension DBusError {
  /// Whether nobody was there to answer, and nobody could be started.
  nonisolated var isFailedStart: Bool {
    if case .absence = kind { true } else { false }
  }

  fileprivate enum Kind {
    /// Nobody there, and nobody could be started.
    case absence
    case denial
    case silence
    /// Somebody there, without such an object, interface, property or method.
    case unknown
    case other
  }

  nonisolated fileprivate var kind: Kind {
    let name = name.rawValue
    let standard = "org.freedesktop.DBus.Error."
    guard name.hasPrefix(standard) else {
      // What systemd answers when it is to start a service that is masked, missing or broken.
      if name.hasPrefix("org.freedesktop.systemd1.") { return .absence }
      // BlueZ, NetworkManager, PackageKit and others each have a name of their own for it.
      let isDenial = ["NotAuthorized", "PermissionDenied", "AccessDenied", "NotAuthorised"]
        .contains { name.hasSuffix(".\($0)") }
      return isDenial ? .denial : .other
    }
    let last = name.dropFirst(standard.count)
    if last.hasPrefix("Spawn.") { return .absence }
    switch last {
    case "ServiceUnknown", "NameHasNoOwner", "Disconnected": return .absence
    case "AccessDenied", "AuthFailed", "InteractiveAuthorizationRequired": return .denial
    case "NoReply", "Timeout", "TimedOut": return .silence
    case "UnknownObject", "UnknownInterface", "UnknownProperty", "UnknownMethod": return .unknown
    default: return .other
    }
  }

  /// What the peer said, or at least the name of its error. It goes to every client, so it is kept
  /// to what a person reads.
  nonisolated var words: String {
    message.isEmpty ? name.rawValue : message.shortened(to: 500)
  }
}
