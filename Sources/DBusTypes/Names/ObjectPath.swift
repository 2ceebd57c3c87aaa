// SPDX-License-Identifier: MIT

/// An object path, such as `/org/freedesktop/DBus`. Specification: "Valid Object Paths".
package struct ObjectPath: RawRepresentable, Hashable, Sendable {
  /// The object path as it is written on the wire.
  package let rawValue: String

  /// Checks `name` against the specification's grammar; nil when it does not follow it.
  package init?(_ name: String) {
    guard NameSyntax.isObjectPath(name) else { return nil }
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

  /// `/`.
  package static let root: ObjectPath = "/"

  /// `/org/freedesktop/DBus`, the object of the bus itself.
  package static let bus: ObjectPath = "/org/freedesktop/DBus"

  /// Whether this is `/`.
  package var isRoot: Bool {
    rawValue.utf8.count == 1
  }

  /// The path one element below this one; nil when `element` is empty or has a byte outside
  /// `[A-Za-z0-9_]`.
  package func appending(_ element: String) -> ObjectPath? {
    guard NameSyntax.isPathElement(element) else { return nil }
    return ObjectPath(alreadyChecked: isRoot ? "/" + element : rawValue + "/" + element)
  }

  /// The path without its last element; nil for `/`.
  package var parent: ObjectPath? {
    guard !isRoot, let slash = rawValue.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return slash == rawValue.startIndex
      ? .root : ObjectPath(alreadyChecked: String(rawValue[..<slash]))
  }

  /// The last element; empty for `/`.
  package var lastElement: Substring {
    guard let slash = rawValue.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return rawValue[rawValue.utf8.index(after: slash)...]
  }

  /// The elements in order; none for `/`.
  package var elements: [Substring] {
    rawValue.split(separator: "/")
  }

  /// Whether `other` is this path or lies below it, element by element: `/a` is no prefix of `/ab`.
  package func isPrefix(of other: ObjectPath) -> Bool {
    if isRoot { return true }
    let own = rawValue.utf8
    let theirs = other.rawValue.utf8
    guard theirs.starts(with: own) else { return false }
    return theirs.count == own.count
      || theirs[theirs.index(theirs.startIndex, offsetBy: own.count)] == UInt8(ascii: "/")
  }
}

extension ObjectPath: Comparable {
  package static func < (left: ObjectPath, right: ObjectPath) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension ObjectPath: CustomStringConvertible {
  package var description: String { rawValue }
}

extension ObjectPath: ExpressibleByStringLiteral {
  /// A literal that does not follow the grammar is a bug in this program, so it traps.
  package init(stringLiteral literal: StaticString) {
    let name = literal.description
    precondition(NameSyntax.isObjectPath(name), "not a valid object path: \(name)")
    rawValue = name
  }
}
