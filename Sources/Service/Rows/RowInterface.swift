// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

/// org.toggled.Row1, declared once for all rows.
enum RowInterface {
  /// - Parameter clients: carries out what clients ask for, within the rules.
  static func table(for clients: ClientRequests) -> InterfaceTable<RowObject> {
    InterfaceTable(
      .row, properties: identity + appearance + state(clients) + automation,
      methods: methods(clients),
      signals: [SignalDeclaration("HoldReleased", ["cookie"], UInt32.self)])
  }

  private static var identity: [Property<RowObject>] {
    [
      .readOnly("Id", .constant) { $0.id.rawValue },
      .readOnly("Title") { $0.face.title },
      .readOnly("Subtitle") { $0.face.subtitle },
      .readOnly("Titles") { $0.face.titles },
      .readOnly("Subtitles") { $0.face.subtitles },
      .readOnly("Keywords") { $0.face.keywords },
      .readOnly("Section") { $0.face.section },
      .readOnly("Order") { $0.face.order },
    ]
  }

  private static var appearance: [Property<RowObject>] {
    [
      .readOnly("Symbol") { $0.face.symbol },
      .readOnly("OnSymbol") { $0.face.onSymbol },
      .readOnly("OffSymbol") { $0.face.offSymbol },
      .readOnly("IconColor") { $0.face.iconColour },
      .readOnly("SwitchColor") { $0.face.switchColour },
      .readOnly("IconForeground") { $0.face.iconForeground },
      .readOnly("Style") { $0.face.style },
      .readOnly("Backend") { $0.face.backend },
    ]
  }

  private static func state(_ clients: ClientRequests) -> [Property<RowObject>] {
    [
      .readWrite(
        "IsOn", get: { $0.facts.isOn },
        set: { row, on, invocation in
          clients.set(row, on, invocation) { _ in invocation.reply() }
        }),
      .readOnly("State") { $0.facts.state.rawValue },
      .readOnly("Target") { row in
        switch row.facts.target {
        case nil: ""
        case true?: "on"
        case false?: "off"
        }
      },
      .readOnly("Available") { $0.facts.isAvailable },
      .readOnly("Locked") { $0.facts.isLocked },
      .readOnly("Reason") { $0.facts.reason?.rawValue ?? "" },
      .readOnly("ReasonText") { $0.facts.reasonText },
      .readOnly("Assumed") { $0.face.isAssumed },
    ]
  }

  /// Neutral until rows have schedules and holds.
  private static var automation: [Property<RowObject>] {
    [
      .readOnly("Schedule") { _ in "" },
      .readOnly("Automatic") { _ in false },
      .readOnly("NextChange") { _ in UInt64(0) },
      .readOnly("Holds") { _ in [[String: Value]]() },
    ]
  }

  private static func methods(_ clients: ClientRequests) -> [Method<RowObject>] {
    [
      .deferred("SetOn", in: ["on"], out: ["changed"], Bool.self) {
        row, invocation, on throws(DBusError) in
        clients.set(row, on, invocation) { invocation.reply($0.changed) }
      },
      .deferred("Toggle", out: ["on"], Bool.self) { row, invocation throws(DBusError) in
        clients.toggle(row, invocation) { invocation.reply($0.isOn) }
      },
      .deferred("Reset", out: ["changed"], Bool.self) { row, invocation throws(DBusError) in
        clients.reset(row, invocation) { invocation.reply($0.changed) }
      },
      .deferred("Refresh") { row, invocation throws(DBusError) in
        clients.refresh(row, invocation) { _ in invocation.reply() }
      },
      .method("Hold", in: ["on", "reason", "application_id"], out: ["cookie"]) {
        (row, _, _: Bool, _: String, _: String) throws(DBusError) -> UInt32 in
        throw holdsNotSupported(row)
      },
      .method("Release", in: ["cookie"]) { (row, _, _: UInt32) throws(DBusError) in
        throw holdsNotSupported(row)
      },
    ]
  }

  private static func holdsNotSupported(_ row: RowObject) -> DBusError {
    DBusError(
      .notSupported, "row \(row.id): holds are not supported by toggled \(Version.current)")
  }
}

extension RowFacts.Names {
  /// The properties that show these facts.
  nonisolated var propertyNames: [MemberName] {
    var names: [MemberName] = []
    if contains(.isOn) { names.append("IsOn") }
    if contains(.state) { names.append("State") }
    if contains(.target) { names.append("Target") }
    if contains(.isAvailable) { names.append("Available") }
    if contains(.isLocked) { names.append("Locked") }
    if contains(.reason) { names.append("Reason") }
    if contains(.reasonText) { names.append("ReasonText") }
    return names
  }
}
