// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

/// What systemd says of one unit, in its own words; see org.freedesktop.systemd1(5).
nonisolated struct UnitFacts: Hashable {
  /// `ActiveState`: active, inactive, failed, activating, deactivating and others.
  private(set) var activeState = ""
  /// `LoadState`: loaded, not-found, masked, bad-setting, error and others; nil while systemd has
  /// not loaded the unit, which then does not run.
  private(set) var loadState: String?
  /// Why the unit could not be loaded; empty where it could.
  private(set) var loadError = ""
  /// `UnitFileState`: enabled, disabled, static and others, empty where there is no file; nil while
  /// it is not known.
  private(set) var fileState: String?
  /// Whether the unit ran when it was last seen at rest; nil before that.
  private var ranLast: Bool?

  init() {}

  /// Takes what some properties of the unit are now.
  mutating func take(_ properties: [MemberName: Value]) {
    if let state = properties["ActiveState"]?.asString { take(activeState: state) }
    if let state = properties["LoadState"]?.asString { loadState = state }
    if case .structure(let parts)? = properties["LoadError"] {
      loadError = parts.last?.asString ?? ""
    }
  }

  /// Takes that systemd has not loaded the unit. What there is to know then is in its file.
  mutating func takeUnloaded() {
    take(activeState: "inactive")
    (loadState, loadError, fileState) = (nil, "", nil)
  }

  /// Takes the state of the unit's file.
  mutating func take(fileState: String) {
    self.fileState = fileState
  }

  private mutating func take(activeState: String) {
    self.activeState = activeState
    switch activity {
    case .running: ranLast = true
    case .stopped, .failed: ranLast = false
    case .starting, .stopping, .unheardOf: break
    }
  }

  // MARK: What the words mean

  enum Activity {
    case running, starting, stopping, stopped, failed
    case unheardOf
  }

  var activity: Activity {
    switch activeState {
    // A unit that reads its configuration again runs meanwhile.
    case "active", "reloading", "refreshing": .running
    case "activating": .starting
    case "deactivating": .stopping
    case "inactive", "maintenance": .stopped
    case "failed": .failed
    default: .unheardOf
    }
  }

  /// Whether the unit is enabled; nil for one that can be neither enabled nor disabled, or while it
  /// is not known.
  var isEnabled: Bool? {
    switch fileState {
    case "enabled", "enabled-runtime", "alias": true
    case "disabled", "linked", "linked-runtime": false
    // static, indirect, generated, transient, masked and others.
    default: nil
    }
  }

  private var isMasked: Bool {
    loadState.map { $0 == "masked" } ?? (fileState == "masked" || fileState == "masked-runtime")
  }

  private var isMissing: Bool {
    loadState.map { $0 == "not-found" } ?? (fileState == "")
  }

  // MARK: What they say of a row

  /// The reading; nil while something that it needs is not known. Where on is running and enabled,
  /// a unit that is one of the two is mixed: off would be as wrong as on.
  func reading(of unit: UnitBackendDefinition) -> Reading? {
    if fileState == nil, unit.enables || loadState == nil { return nil }
    let isRunning: Bool
    var target: Bool?
    switch activity {
    case .running: isRunning = true
    case .stopped, .failed: isRunning = false
    case .starting: (isRunning, target) = (false, true)
    case .stopping:
      // One that fails to start stops without ever having run.
      isRunning = ranLast ?? true
      target = isRunning ? false : nil
    case .unheardOf:
      let state = activeState.shortened(to: 40)
      return .unreadable(Problem(.unrecognised, "systemd says that \(unit.unit) is '\(state)'"))
    }
    if !isRunning, target == nil, isMissing {
      return .unreadable(Problem(Missing(.units, [unit.unit])))
    }
    let isEnabled = unit.enables ? isEnabled : nil
    let value: Reading = (isEnabled ?? isRunning) == isRunning ? Reading(isRunning) : .mixed
    // What will be mixed then is not on its way to on or off.
    let heading = isEnabled == nil || isEnabled == target ? target : nil
    return value.heading(to: heading).with(isRunning ? nil : trouble(with: unit))
  }

  /// Why the unit, which does not run, can't be started or did not stay.
  private func trouble(with unit: UnitBackendDefinition) -> Problem? {
    if isMasked {
      return Problem(.noAccess, "\(unit.unit) is masked; \(unit.systemctl) unmask \(unit.unit)")
    }
    if loadState == "bad-setting" || loadState == "error" {
      return Problem(.failed, "\(unit.unit) can't be loaded: \(loadError.shortened(to: 500))")
    }
    if activity == .failed {
      return Problem(.failed, "\(unit.unit) failed; see \(unit.systemctl) status \(unit.unit)")
    }
    return nil
  }
}

extension UnitBackendDefinition {
  /// The program by which a person talks to the unit's manager.
  nonisolated var systemctl: String { bus == .system ? "systemctl" : "systemctl --user" }
}
