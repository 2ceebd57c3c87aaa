// SPDX-License-Identifier: MIT

/// One of the backends that a `sequence` or a `first` is made of: a `[Backend.name]` group.
package struct PartDefinition: Hashable, Sendable {
  /// What its type, `sequence` or `first`, calls it by.
  package var name: String
  /// What it is.
  package var backend: BackendDefinition

  /// A part.
  package init(_ name: String, _ backend: BackendDefinition) {
    self.name = name
    self.backend = backend
  }
}

extension PartDefinition {
  /// What the names of a part's group begin with.
  static let groupPrefix = "Backend."

  /// How the names of parts look, for messages.
  static let rule = "the names of groups [Backend.name] of this file (\(identifierRule))"

  /// `text` where it can be the name of a part.
  static func name(_ text: String) -> String? {
    isIdentifier(text.utf8) ? text : nil
  }

  /// Reads the groups that `key` lists; nil where anything is wrong with one of them. No group is
  /// left over, and no part is listed twice.
  static func read(
    _ reader: inout GroupReader, _ key: String, listing names: [String], id: RowID, scope: Scope
  ) -> [PartDefinition]? {
    // The groups of a drop-in are read one by one, whether they are listed there or in the row.
    if reader.isFragment { return nil }
    var parts: [PartDefinition] = []
    for (index, name) in names.enumerated() {
      if names[..<index].contains(name) {
        reader.fail(key, "\(key) lists '\(name)' twice; expected each once")
      } else if let group = reader.subgroups.first(where: { $0.name == groupPrefix + name }) {
        let backend = reader.read(group) {
          BackendDefinition.read(&$0, id: id, scope: scope, isPart: true)
        }
        if let backend { parts.append(PartDefinition(name, backend)) }
      } else {
        let known = reader.subgroups.map { String($0.name.dropFirst(groupPrefix.count)) }
        let hint = suggestion(for: name, among: known).map { "; did you mean \($0)?" } ?? ""
        reader.fail(key, "\(key) lists '\(name)', and there is no group [Backend.\(name)]\(hint)")
      }
    }
    for group in reader.subgroups where !names.contains(where: { groupPrefix + $0 == group.name }) {
      reader.fail(
        group,
        "nothing uses [\(shortened(group.name))]; expected its name in \(key) of [Backend]")
    }
    return parts.count == names.count ? parts : nil
  }
}
