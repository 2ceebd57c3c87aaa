// SPDX-License-Identifier: MIT

import Settings

extension RowSnapshot {
  /// What a person types to mean this row and no other.
  nonisolated func typed(_ ambiguous: Set<String>) -> String {
    ambiguous.contains(id) ? "\(id) \(scope.option)" : id
  }

  /// The title for a reader, or the id where the row has none.
  nonisolated func heading(_ locale: Locale) -> String {
    let title = title.text(for: locale).printable
    return title.isEmpty ? id : title
  }

  /// The state and what else bears on the switch, such as `off, turning on`.
  nonisolated var stateWords: String {
    var words = [state.rawValue]
    if !target.isEmpty { words.append("turning \(target.printable)") }
    if isLocked { words.append("locked") }
    if !holds.isEmpty { words.append("held") }
    if isAssumed { words.append("assumed") }
    return words.joined(separator: ", ")
  }

  /// Why the row can't be read or flipped now, or nil when it can.
  nonisolated var trouble: String? {
    if !reasonText.isEmpty { return reasonText.printable }
    if reason.isEmpty { return isAvailable || state != .unknown ? nil : "not read yet" }
    return Reason(rawValue: reason)?.words ?? reason.printable
  }
}

extension Reason {
  /// The reason in a few words.
  fileprivate nonisolated var words: String {
    switch self {
    case .locked: "locked by the administrator"
    case .noService: "the service behind it is not running"
    case .noDevice: "there is no such device"
    case .notFound: "what it switches does not exist"
    case .noAccess: "access is denied"
    case .hardBlocked: "blocked by a switch on the machine"
    case .unrecognised: "has a value that is neither on nor off"
    case .timeout: "does not answer"
    case .failed: "can't be read"
    }
  }
}
