// SPDX-License-Identifier: MIT

/// An interface name, such as `org.freedesktop.DBus.Properties`. Specification: "Interface names".
package struct InterfaceName: RawRepresentable, Hashable, Sendable {
  /// The interface name as it is written on the wire.
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

  /// `org.freedesktop.DBus`, the interface of the bus itself.
  package static let bus: InterfaceName = "org.freedesktop.DBus"
  /// `org.freedesktop.DBus.Properties`.
  package static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
  /// `org.freedesktop.DBus.Introspectable`.
  package static let introspectable: InterfaceName = "org.freedesktop.DBus.Introspectable"
  /// `org.freedesktop.DBus.Peer`.
  package static let peer: InterfaceName = "org.freedesktop.DBus.Peer"
  /// `org.freedesktop.DBus.ObjectManager`.
  package static let objectManager: InterfaceName = "org.freedesktop.DBus.ObjectManager"
}

extension InterfaceName: Comparable {
  package static func < (left: InterfaceName, right: InterfaceName) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension InterfaceName: CustomStringConvertible {
  package var description: String { rawValue }
}

extension InterfaceName: ExpressibleByStringLiteral {
  /// A literal that does not follow the grammar is a bug in this program, so it traps.
  package init(stringLiteral literal: StaticString) {
    let name = literal.description
    precondition(NameSyntax.isInterfaceName(name), "not a valid interface name: \(name)")
    rawValue = name
  }
}
