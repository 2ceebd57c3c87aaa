// SPDX-License-Identifier: MIT

/// Which properties of one interface of one object are to be told of, in the order they changed.
nonisolated struct PendingChanges {
  private(set) var changed: [String] = []
  private(set) var invalidated: [String] = []
  private var seen: Set<String> = []
  /// Those of `changed` that came since: nobody knows a value of theirs that they could be back to.
  private var added: Set<String> = []

  mutating func change(_ name: String) {
    // One that went and came back before anyone was told has simply changed.
    invalidated.removeAll { $0 == name }
    if seen.insert(name).inserted { changed.append(name) }
  }

  mutating func add(_ name: String) {
    change(name)
    added.insert(name)
  }

  mutating func restore(_ name: String) {
    guard !added.contains(name) else { return }
    if seen.remove(name) != nil { changed.removeAll { $0 == name } }
  }

  mutating func invalidate(_ name: String) {
    added.remove(name)
    if seen.remove(name) != nil { changed.removeAll { $0 == name } }
    if !invalidated.contains(name) { invalidated.append(name) }
  }
}
