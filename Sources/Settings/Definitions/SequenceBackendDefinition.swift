// SPDX-License-Identifier: MIT

/// Steps over other backends, as `Type=sequence` describes it.
package struct SequenceBackendDefinition: Hashable, Sendable {
  /// What on turns on, in this order. Never empty; the last says whether the row is off.
  package var steps: [PartDefinition]
  /// What off turns off, in this order, as places in `steps`. The last of them is among these.
  package var offSteps: [Int]

  /// A sequence. Without `offSteps` off turns the last step off alone.
  package init(steps: [PartDefinition], offSteps: [Int]? = nil) {
    self.steps = steps
    self.offSteps = offSteps ?? [steps.count - 1]
  }
}

extension SequenceBackendDefinition {
  static func read(
    _ reader: inout GroupReader, id: RowID, scope: Scope
  ) -> SequenceBackendDefinition? {
    let complaint = "; expected \(PartDefinition.rule)"
    let names = reader.values("Steps", complaint: complaint, PartDefinition.name)
    let offNames = reader.values("OffSteps", complaint: complaint, PartDefinition.name)
    if !reader.has("Steps") { reader.missing("Steps", expected: PartDefinition.rule) }
    guard let names, let last = names.last else { return nil }
    var offSteps: [Int] = []
    for name in offNames ?? [] {
      guard let place = names.firstIndex(of: name) else {
        reader.fail(
          "OffSteps", "OffSteps lists '\(name)', which Steps does not; expected steps of Steps")
        continue
      }
      if offSteps.contains(place) {
        reader.fail("OffSteps", "OffSteps lists '\(name)' twice; expected each once")
      }
      offSteps.append(place)
    }
    if offNames?.contains(last) == false {
      reader.fail(
        "OffSteps",
        "OffSteps does not list '\(last)'; expected it, as the last of Steps says whether the row "
          + "is off")
    }
    let steps = PartDefinition.read(&reader, "Steps", listing: names, id: id, scope: scope)
    guard let steps else { return nil }
    return SequenceBackendDefinition(steps: steps, offSteps: offNames.map { _ in offSteps })
  }
}
