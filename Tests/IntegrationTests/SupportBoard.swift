// SPDX-License-Identifier: MIT

import DBus
import DBusTypes

// The names of the contract, spelled once more: these are what other programs rely on.

extension InterfaceName {
  static let row: InterfaceName = "org.toggled.Row1"
  static let section: InterfaceName = "org.toggled.Section1"
  static let manager: InterfaceName = "org.toggled.Manager1"
  static let switches: InterfaceName = "org.toggled.Switches1"
  static let logControl: InterfaceName = "org.freedesktop.LogControl1"
}

extension ObjectPath {
  static let toggled: ObjectPath = "/org/toggled"
  static let logControl: ObjectPath = "/org/freedesktop/LogControl1"

  static func row(_ id: String) -> ObjectPath {
    ObjectPath(alreadyChecked: "/org/toggled/rows/\(id)")
  }

  static func section(_ id: String) -> ObjectPath {
    ObjectPath(alreadyChecked: "/org/toggled/sections/\(id)")
  }
}

/// What clients do with rows.
extension Peer {
  func sendSetOn(_ id: String, _ on: Bool, label: String = "SetOn") -> Call {
    send("SetOn", of: .row, at: .row(id), [.boolean(on)], label: label)
  }

  @discardableResult
  func setOn(_ id: String, _ on: Bool) throws -> [Value] { try wait(for: sendSetOn(id, on)) }

  @discardableResult
  func toggle(_ id: String) throws -> [Value] { try call("Toggle", of: .row, at: .row(id)) }

  func get(_ property: MemberName, of interface: InterfaceName, at path: ObjectPath) throws -> Value
  {
    let values = try call(
      "Get", of: .properties, at: path,
      [.string(interface.rawValue), .string(property.rawValue)])
    return values[0].unwrapped
  }

  /// A property of a row, as GVariant text.
  func row(_ id: String, _ property: MemberName) throws -> String {
    try get(property, of: .row, at: .row(id)).text
  }

  /// The row's state, and the reason in brackets when there is one.
  func state(_ id: String) throws -> String {
    let state = try get("State", of: .row, at: .row(id)).asString ?? ""
    let reason = try get("Reason", of: .row, at: .row(id)).asString ?? ""
    return reason.isEmpty ? state : "\(state) (\(reason))"
  }

  /// Waits until the row's state, and the reason in brackets when there is one, is this.
  func awaitState(_ id: String, _ wanted: String) throws {
    while true {
      let seen = journal.count
      let found = try state(id)
      if found == wanted { return }
      // What came before the answers was not in them, perhaps.
      try wait("\(id) to be \(wanted); it is \(found)") {
        journal[seen...].contains { $0.hasPrefix("rows/\(id) ") }
      }
    }
  }

  func getAll(_ interface: InterfaceName, at path: ObjectPath) throws -> [String: Value] {
    let values = try call("GetAll", of: .properties, at: path, [.string(interface.rawValue)])
    guard case .dictionary(_, _, let entries)? = values.first else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: entries.map { ($0.key.asString ?? "", $0.value.unwrapped) })
  }

  func sendSet(
    _ property: MemberName, of interface: InterfaceName, at path: ObjectPath, to value: Value
  ) -> Call {
    send(
      "Set", of: .properties, at: path,
      [.string(interface.rawValue), .string(property.rawValue), .variant(value)])
  }

  func sendApply(_ wanted: [(String, Bool)]) -> Call {
    let entries = wanted.map { Value.Entry(.string($0.0), .boolean($0.1)) }
    return send(
      "Apply", of: .manager, at: .toggled,
      [.dictionary(key: .string, value: .boolean, entries: entries)])
  }
}
