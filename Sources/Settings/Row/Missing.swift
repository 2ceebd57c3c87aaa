// SPDX-License-Identifier: MIT

/// Things of one kind that a row needs and that are not there.
package struct Missing: Hashable, Sendable {
  /// What they are.
  package enum Kind: Hashable, Sendable {
    /// Programs on a bus, by their well-known names, of which one would do.
    case services
    /// Units of systemd.
    case units
  }

  package let kind: Kind
  /// Each once, and at least one.
  package private(set) var names: [String] = []

  /// Things by their names, of which there is at least one.
  package init(_ kind: Kind, _ names: [String]) {
    self.kind = kind
    add(names)
  }

  /// Adds those that are not among them yet.
  package mutating func add(_ more: [String]) {
    for name in more where !names.contains(name) { names.append(name) }
  }

  /// The word for what is missing.
  package var reason: Reason {
    switch kind {
    case .services: .noService
    case .units: .notFound
    }
  }

  /// One sentence that names them.
  package var text: String {
    switch kind {
    case .services where names.count == 1: "\(names[0]) is not running"
    case .services: "none of \(names.joined(separator: ", ")) is running"
    case .units: "there is no unit \(names.joined(separator: " or "))"
    }
  }
}
