// SPDX-License-Identifier: MIT

/// Alternatives of which one serves, as `Type=first` describes it.
package struct FirstBackendDefinition: Hashable, Sendable {
  /// In the order in which they are preferred. Never empty.
  package var alternatives: [PartDefinition]

  /// Whether one that is on goes before those that are off: several may be installed of which one
  /// is in use.
  package var prefersOn: Bool

  /// Alternatives, the preferred one first.
  package init(_ alternatives: [PartDefinition], prefersOn: Bool = false) {
    self.alternatives = alternatives
    self.prefersOn = prefersOn
  }
}

extension FirstBackendDefinition {
  static func read(
    _ reader: inout GroupReader, id: RowID, scope: Scope
  ) -> FirstBackendDefinition? {
    let names = reader.values(
      "Of", complaint: "; expected \(PartDefinition.rule)", PartDefinition.name)
    if !reader.has("Of") { reader.missing("Of", expected: PartDefinition.rule) }
    let prefersOn = reader.flag("PreferOn") ?? false
    guard let names else { return nil }
    return PartDefinition.read(&reader, "Of", listing: names, id: id, scope: scope)
      .map { FirstBackendDefinition($0, prefersOn: prefersOn) }
  }
}
