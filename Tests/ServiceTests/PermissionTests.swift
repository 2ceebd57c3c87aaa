// SPDX-License-Identifier: MIT

import DBusTypes
import Settings
import System
import TestSupport
import Testing

@testable import Service

@Suite("What polkit is told of a flip")
struct PermissionTests {
  private func details(_ action: String, _ language: String = "C") throws -> [String: String] {
    let permission = Permission(
      action: action, row: try #require(RowID("lamp")), title: "Lamp", on: true,
      locale: Locale(environment: { $0 == "LC_ALL" ? language : nil }))
    guard case .dictionary(_, _, let entries) = permission.details else { return [:] }
    return entries.reduce(into: [:]) { details, entry in
      guard case (.string(let key), .string(let text)) = (entry.key, entry.value) else { return }
      details[key] = text
    }
  }

  @Test("is the row, its title and the value, and no message where the action has ours")
  func own() throws {
    for action in ["org.toggled.flip", "org.toggled.flip-seat"] {
      #expect(try details(action) == ["row": "lamp", "title": "Lamp", "value": "on"])
    }
  }

  @Test("has our message under another service's action, in the words of our actions' file")
  func other() throws {
    let file = try Files.read(
      Project.path("Config/polkit-1/actions/org.toggled.policy"), limit: 1 << 16)
    let actions = String(decoding: file, as: UTF8.self)
    for (language, tag) in [("C", "<message>"), ("es_ES.UTF-8", "<message xml:lang=\"es\">")] {
      let details = try details("org.example.other", language)
      let message = try #require(details["polkit.message"])
      #expect(actions.contains("\(tag)\(message)</message>"), "\(message)")
      #expect(details["title"] == "Lamp" && details.count == 4)
    }
  }
}
