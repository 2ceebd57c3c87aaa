// SPDX-License-Identifier: MIT

/// The actions of polkit(8) that are toggled's own.
package enum PolkitAction {
  /// What a flip takes where a row file names nothing else.
  package static let flip = "org.toggled.flip"

  /// Whether an action is toggled's own.
  package static func isOwn(_ action: String) -> Bool { action.hasPrefix("org.toggled.") }
}

extension GroupReader {
  /// Reads PolkitAction, which only rows of the system bus have.
  mutating func polkitAction(_ scope: Scope) -> String? {
    let action = value("PolkitAction", expected: "an action such as org.example.flip") {
      isDottedName($0) ? $0 : nil
    }
    if action != nil, scope == .session {
      fail(
        "PolkitAction",
        "PolkitAction stands in a row of the session bus; expected Bus=system")
    }
    return action
  }
}

extension BackendDefinition {
  /// The actions that a flip by this backend takes, each once; `rowAction` where its own groups
  /// name none.
  package func polkitActions(rowAction: String) -> Set<String> {
    func actions(of parts: [PartDefinition]) -> Set<String> {
      Set(parts.map { $0.polkitAction(rowAction: rowAction) })
    }
    switch kind {
    // Putting a step back takes what bringing it about did.
    case .sequence(let sequence): return actions(of: sequence.steps)
    // Which of them serves is for the one who asks to see.
    case .first(let first): return actions(of: first.alternatives)
    default: return [rowAction]
    }
  }
}

extension PartDefinition {
  /// The action that a flip by this part takes.
  package func polkitAction(rowAction: String) -> String {
    backend.polkitAction ?? rowAction
  }
}
