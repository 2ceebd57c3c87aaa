// SPDX-License-Identifier: MIT

/// Why a row becomes another, and for whom.
package struct Origin: Hashable, Sendable {
  /// What brings a flip about.
  package enum Cause: String, Hashable, Sendable {
    /// Someone on the bus asked for it.
    case client
    /// The row's schedule did.
    case schedule
    /// The world did, without us.
    case outside
    /// Someone holds the row, or held it; or airplane mode keeps it as it is.
    case hold
    /// The administrator has fixed the value.
    case lock
  }

  /// What brings it about.
  package var cause: Cause
  /// Who asked, by the unique name on the bus; nil where nobody did.
  package var client: String?
  /// Whether whoever is asked to do it may ask a person for a password: the caller's own flag,
  /// passed on and never added.
  package var isInteractive: Bool
  /// The polkit actions that were allowed for it, row by row; nil where nobody has to be asked.
  package var actions: [RowID: Set<String>]?

  /// An origin that nobody has to allow.
  package init(_ cause: Cause, client: String? = nil, isInteractive: Bool = false) {
    self.cause = cause
    self.client = client
    self.isInteractive = isInteractive
  }

  /// The same for what else comes of it, such as the flips of a group's rows: of those nobody asks
  /// a person.
  package var withoutQuestions: Origin {
    var origin = self
    origin.isInteractive = false
    return origin
  }

  /// Whether this may do what the other may not: whatever it likes, or ask a person.
  func mayMore(than other: Origin) -> Bool {
    if (actions == nil) != (other.actions == nil) { return actions == nil }
    return isInteractive && !other.isInteractive
  }

  /// Whether a row may be turned under that action.
  package func mayUse(_ action: String, of row: RowID) -> Bool {
    guard let actions else { return true }
    return actions[row]?.contains(action) ?? false
  }
}
