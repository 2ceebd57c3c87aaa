// SPDX-License-Identifier: MIT

import DBus
import DBusTypes

/// An object to publish in tests.
@MainActor
final class Lamp {
  var isOn = false
  var name: String
  var level: Int32 = 0
  var kept: [Invocation] = []

  init(_ name: String = "lamp") {
    self.name = name
  }

  static let table = makeTable()

  static func makeTable() -> InterfaceTable<Lamp> {
    InterfaceTable(
      "org.example.Lamp1",
      properties: [
        .readOnly("Id", .constant) { $0.name },
        .readWrite("IsOn", get: { $0.isOn }) { lamp, isOn, invocation throws(DBusError) in
          if lamp.name == "broken" { throw DBusError.failed("the lamp is broken") }
          lamp.isOn = isOn
          lamp.binding?.changed("IsOn")
          invocation.reply()
        },
        .readOnly("Level", .value) { $0.level },
        .readOnly("Picture", .invalidation) { [UInt8]($0.name.utf8) },
        .readOnly("Secret", .none) { _ in UInt64.max },
        .readOnly("Holds") { lamp -> [[String: Value]] in
          lamp.isOn ? [["On": .boolean(true)]] : []
        },
      ],
      methods: [
        .method("Add", in: ["a", "b"], out: ["sum"]) {
          (_, _, a: Int32, b: Int32) throws(DBusError) -> Int32 in
          let (sum, overflows) = a.addingReportingOverflow(b)
          guard !overflows else { throw DBusError(.invalidArgs, "the sum is too large") }
          return sum
        },
        .method("Split", in: ["text"], out: ["first", "rest"]) {
          (_, _, text: String) -> (String, [String]) in
          let words = text.split(separator: " ").map(String.init)
          return (words.first ?? "", Array(words.dropFirst()))
        },
        .method("Reset") { lamp, _ in lamp.level = 0 },
        .method("Errors", out: ["errors"]) { (_, _) -> [Structure<String, UInt32, String>] in
          [Structure("a.row", 1, "bad"), Structure("b.row", 2, "worse")]
        },
        .deferred("SetOn", in: ["on"], out: ["changed"], Bool.self) {
          (lamp, invocation, on: Bool) in
          lamp.isOn = on
          lamp.binding?.changed("IsOn")
          lamp.kept.append(invocation)
        },
        .deferred("Refuse") { (_, _) throws(DBusError) in
          throw DBusError("org.example.Error.Refused", "no")
        },
      ],
      signals: [SignalDeclaration("Blinked", ["times", "pattern"], UInt32.self, String.self)])
  }

  var binding: InterfaceBinding?
}

extension ObjectTree {
  /// Publishes a lamp and lets it know its binding.
  func publish(_ lamp: Lamp, at path: ObjectPath) {
    let binding = Lamp.table.bound(to: lamp)
    lamp.binding = binding
    export(at: path, binding)
  }
}
