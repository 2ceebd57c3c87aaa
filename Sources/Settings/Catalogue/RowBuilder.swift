// SPDX-License-Identifier: MIT

/// Puts a row's file and its drop-ins together, leaving out the drop-ins that are wrong.
struct RowBuilder {
  /// A drop-in, and its version before where there is one to fall back on.
  struct DropIn {
    var source: RowFile
    var previous: RowFile?

    var path: String { source.file }
  }

  let id: RowID
  private(set) var dropIns: [DropIn]
  /// What was wrong with drop-ins.
  private(set) var errors: [ConfigError] = []

  init(id: RowID, dropIns: [DropIn]) {
    self.id = id
    self.dropIns = dropIns
  }

  /// The file with the drop-ins that are in effect.
  func merged(_ base: RowFile) -> RowFile {
    dropIns.reduce(base) { $0.amended(by: $1.source) }
  }

  /// The row of `base` and the drop-ins; or what is wrong with `base` itself.
  mutating func build(_ base: RowFile) -> Result<RowDefinition, Problem> {
    while true {
      var findings = Findings()
      if let row = RowDefinition.read(merged(base), id: id, findings: &findings) {
        return .success(row)
      }
      if dropCulprits(findings.errors) { continue }
      let problem = Problem(errors: findings.all(in: base.file))
      var own = Findings()
      guard !dropIns.isEmpty, RowDefinition.read(base, id: id, findings: &own) != nil else {
        return .failure(problem)
      }
      dropOffender(base)
    }
  }

  /// What is wrong with a row's file.
  struct Problem: Error {
    var errors: [ConfigError]
  }

  /// Takes the drop-ins out that `found` names; false where it names none.
  private mutating func dropCulprits(_ found: [ConfigError]) -> Bool {
    let culprits = Set(found.map(\.file)).intersection(dropIns.map(\.path))
    errors += found.filter { culprits.contains($0.file) }
    for path in culprits { drop(path) }
    return !culprits.isEmpty
  }

  /// Takes out the first drop-in with which the row, right by itself, is wrong in a line of its own
  /// file: one that changes Type, for example.
  private mutating func dropOffender(_ base: RowFile) {
    var source = base
    for dropIn in dropIns {
      source = source.amended(by: dropIn.source)
      var findings = Findings()
      if RowDefinition.read(source, id: id, findings: &findings) != nil { continue }
      let reason = findings.errors.first.map(\.description) ?? ""
      errors.append(
        ConfigError(
          file: dropIn.path, line: 0, message: "the row is wrong with this drop-in: \(reason)"))
      return drop(dropIn.path)
    }
  }

  /// Goes back to the version before of the drop-in at `path`, or does without it.
  private mutating func drop(_ path: String) {
    guard let index = dropIns.firstIndex(where: { $0.path == path }) else { return }
    if let previous = dropIns[index].previous {
      dropIns[index] = DropIn(source: previous, previous: nil)
    } else {
      dropIns.remove(at: index)
    }
  }
}
