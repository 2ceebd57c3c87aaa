// SPDX-License-Identifier: MIT

/// An error name, such as `org.freedesktop.DBus.Error.Failed`. Specification: "Error names".
package struct ErrorName: RawRepresentable, Hashable, Sendable {
  /// The error name as it is written on the wire.
  package let rawValue: String

  /// Checks `name` against the specification's grammar; nil when it does not follow it.
  package init?(_ name: String) {
    guard NameSyntax.isInterfaceName(name) else { return nil }
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

extension ErrorName: Comparable {
  package static func < (left: ErrorName, right: ErrorName) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension ErrorName: CustomStringConvertible {
  package var description: String { rawValue }
}

extension ErrorName: ExpressibleByStringLiteral {
  /// A literal that does not follow the grammar is a bug in this program, so it traps.
  package init(stringLiteral literal: StaticString) {
    let name = literal.description
    precondition(NameSyntax.isInterfaceName(name), "not a valid error name: \(name)")
    rawValue = name
  }
}
