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
    switch reason {
    case "": return isAvailable || state != .unknown ? nil : "not available"
    case "locked": return "locked by the administrator"
    case "no-service": return "the service behind it is not running"
    case "no-device": return "there is no such device"
    case "not-found": return "what it switches does not exist"
    case "no-access": return "access is denied"
    case "hard-blocked": return "blocked by a switch on the machine"
    case "unrecognised": return "has a value that is neither on nor off"
    case "timeout": return "does not answer"
    case "failed": return "can't be read"
    default: return reason.printable
    }
  }
}
