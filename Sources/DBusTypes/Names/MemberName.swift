// SPDX-License-Identifier: MIT

/// The name of a method, signal or property. Specification: "Member names".
package struct MemberName: RawRepresentable, Hashable, Sendable {
  /// The member name as it is written on the wire.
  package let rawValue: String

  /// Checks `name` against the specification's grammar; nil when it does not follow it.
  package init?(_ name: String) {
    guard NameSyntax.isMemberName(name) else { return nil }
    rawValue = name
  }

  /// The same as `init(_:)`, for generic code.
  package init?(rawValue: String) {
    self.init(rawValue)
  }

  /// Takes a name that libdbus has already checked, such as a header field of a message it parsed.
  package init(alreadyChecked name: String) {
    rawValue = name
  }
}

extension MemberName: Comparable {
  package static func < (left: MemberName, right: MemberName) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension MemberName: CustomStringConvertible {
  package var description: String { rawValue }
}

extension MemberName: ExpressibleByStringLiteral {
  /// A literal that does not follow the grammar is a bug in this program, so it traps.
  package init(stringLiteral literal: StaticString) {
    let name = literal.description
    precondition(NameSyntax.isMemberName(name), "not a valid member name: \(name)")
    rawValue = name
  }
}
