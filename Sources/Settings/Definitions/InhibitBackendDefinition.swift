// SPDX-License-Identifier: MIT

/// An inhibitor of logind's, as `Type=inhibit` describes it; see systemd-inhibit(1).
package struct InhibitBackendDefinition: Hashable, Sendable {
  /// What an inhibitor keeps from happening, in logind's words.
  package enum Lock: String, CaseIterable, Sendable {
    case shutdown, sleep, idle
    case powerKey = "handle-power-key"
    case rebootKey = "handle-reboot-key"
    case suspendKey = "handle-suspend-key"
    case hibernateKey = "handle-hibernate-key"
    case lidSwitch = "handle-lid-switch"

    /// Whether it can be put off for a while, and not only kept from happening.
    var isDelayable: Bool { self == .shutdown || self == .sleep }
  }

  /// How it is kept from happening.
  package enum Mode: String, CaseIterable, Sendable {
    /// For as long as the inhibitor is held.
    case block
    /// For a few seconds; how many, logind decides.
    case delay
  }

  /// What is kept from happening. Never empty.
  package var what: [Lock]
  /// Who wants that, for people to read.
  package var who: String
  /// Why, for people to read.
  package var why: String
  /// How.
  package var mode: Mode

  /// An inhibitor, complete.
  package init(what: [Lock], who: String, why: String, mode: Mode) {
    self.what = what
    self.who = who
    self.why = why
    self.mode = mode
  }
}

extension InhibitBackendDefinition {
  static func read(_ reader: inout GroupReader, id: RowID) -> InhibitBackendDefinition? {
    let locks = listed(Lock.allCases.map(\.rawValue))
    let what = reader.values("What", complaint: "; expected a list of \(locks)") {
      Lock(rawValue: $0)
    }
    let who = reader.value("Who", expected: "a text") { $0.isEmpty ? nil : $0 }
    let why = reader.value("Why", expected: "a text") { $0.isEmpty ? nil : $0 }
    let mode = reader.word("Mode", of: Mode.self) ?? .block
    if !reader.has("What") { reader.missing("What", expected: "a list of \(locks)") }
    guard let what else { return nil }
    if mode == .delay, let lock = what.first(where: { !$0.isDelayable }) {
      reader.fail(
        "Mode", "Mode is 'delay', and \(lock.rawValue) can't be delayed; expected block")
    }
    return InhibitBackendDefinition(
      what: what, who: who ?? "toggled", why: why ?? "row \(id) is on", mode: mode)
  }
}
