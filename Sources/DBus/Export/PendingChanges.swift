// SPDX-License-Identifier: MIT

/// Which properties of one interface of one object are to be told of, in the order they changed.
nonisolated struct PendingChanges {
  private(set) var changed: [String] = []
  private(set) var invalidated: [String] = []
  private var seen: Set<String> = []

  mutating func change(_ name: String) {
    // One that went and came back before anyone was told has simply changed.
    invalidated.removeAll { $0 == name }
    if seen.insert(name).inserted { changed.append(name) }
  }

  mutating func restore(_ name: String) {
    if seen.remove(name) != nil { changed.removeAll { $0 == name } }
  }

  mutating func invalidate(_ name: String) {
    if seen.remove(name) != nil { changed.removeAll { $0 == name } }
    if !invalidated.contains(name) { invalidated.append(name) }
  }
}
