// SPDX-License-Identifier: MIT

/// A bus name: unique (`:1.42`) or well known (`org.freedesktop.DBus`). Specification: "Bus names".
package struct BusName: RawRepresentable, Hashable, Sendable {
  /// The bus name as it is written on the wire.
  package let rawValue: String

  /// Checks `name` against the specification's grammar; nil when it does not follow it.
  package init?(_ name: String) {
    guard NameSyntax.isBusName(name) else { return nil }
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

  /// Whether this is the name the bus gave a connection, which it never gives to another.
  package var isUnique: Bool {
    rawValue.utf8.first == UInt8(ascii: ":")
  }

  /// The bus itself.
  package static let bus: BusName = "org.freedesktop.DBus"
}

extension BusName: Comparable {
  package static func < (left: BusName, right: BusName) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension BusName: CustomStringConvertible {
  package var description: String { rawValue }
}

extension BusName: ExpressibleByStringLiteral {
  /// A literal that does not follow the grammar is a bug in this program, so it traps.
  package init(stringLiteral literal: StaticString) {
    let name = literal.description
    precondition(NameSyntax.isBusName(name), "not a valid bus name: \(name)")
    rawValue = name
  }
}
