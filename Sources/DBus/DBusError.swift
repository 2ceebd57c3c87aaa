// SPDX-License-Identifier: MIT

package import DBusTypes

/// An error as D-Bus knows it: what a handler throws, what a call ends with.
nonisolated package struct DBusError: Error, Hashable, Sendable {
  /// What went wrong, for programs.
  package let name: ErrorName
  /// What went wrong, for people; may be empty when it came from a peer.
  package let message: String

  /// An error of a name, with a text for people: lower case, naming the value and what was
  /// expected.
  package init(_ name: ErrorName, _ message: String) {
    self.name = name
    self.message = message
  }
}

nonisolated extension DBusError {
  /// `org.freedesktop.DBus.Error.InvalidArgs`.
  package static func invalidArgs(_ message: String) -> DBusError {
    DBusError(.invalidArgs, message)
  }

  /// `org.freedesktop.DBus.Error.Failed`.
  package static func failed(_ message: String) -> DBusError {
    DBusError(.failed, message)
  }

  /// Whether the peer was not there to answer: it has no owner, could not be started or went away.
  package var isAbsence: Bool {
    name == .serviceUnknown || name == .nameHasNoOwner || name == .disconnected
  }
}

nonisolated extension DBusError: CustomStringConvertible {
  package var description: String { "\(name): \(message)" }
}
