// SPDX-License-Identifier: MIT

import DBusTypes

/// An argument's name and type, for introspection.
nonisolated struct Argument: Sendable {
  let name: String
  let signature: String

  static func list(_ names: [String], _ signatures: [String], of member: MemberName) -> [Argument] {
    precondition(
      names.count == signatures.count,
      "\(member) names \(names.count) arguments and has \(signatures.count)")
    return zip(names, signatures).map { Argument(name: $0, signature: $1) }
  }
}
