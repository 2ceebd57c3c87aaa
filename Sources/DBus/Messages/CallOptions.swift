// SPDX-License-Identifier: MIT

/// What a call asks for besides its arguments. Specification: "Message Format", header flags.
nonisolated package struct CallOptions: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The callee is not started for this call: without an owner the call fails.
  package static let noAutoStart = CallOptions(rawValue: 1)
  /// The user may be asked for a password, and the answer may take that long.
  package static let allowInteractiveAuthorization = CallOptions(rawValue: 2)
}
