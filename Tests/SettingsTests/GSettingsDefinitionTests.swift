// SPDX-License-Identifier: MIT

import DBusTypes
import Settings
import Testing

@Suite("A [Backend] of type gsettings")
struct GSettingsDefinitionTests {
  private func text(_ keys: String, _ row: String = "") -> String {
    "[Row]\nTitle=A\n\(row)[Backend]\nType=gsettings\n\(keys)\n"
  }

  @Test("is a key of a schema, and on and off are true and false unless set")
  func complete() throws {
    let (on, off) = (try VariantText.parse("true"), try VariantText.parse("false"))
    let backend = try row(text("Schema=org.example.lamp\nKey=is-lit")).backend
    #expect(
      backend
        == BackendDefinition(
          .gsettings(
            GSettingsBackendDefinition(
              schema: "org.example.lamp", key: "is-lit", on: [on], off: [off]))))
    #expect(backend.typeName == "gsettings")

    let dark = try row(text("Schema=a.b\nKey=c\nPath=/a/b/\nOn='dark'\nOff='light';'default'"))
    guard case .gsettings(let key) = dark.backend.kind else {
      Issue.record("not a gsettings row")
      return
    }
    #expect(key.path == "/a/b/")
    #expect(
      key.on.map(\.source) == ["'dark'"] && key.off.map(\.source) == ["'light'", "'default'"])
  }

  @Test(
    "is told what is wrong with it",
    arguments: [
      ("Key=c", "x.row:3: Schema is missing in [Backend]; expected a schema's id"),
      ("Schema=a.b", "x.row:3: Key is missing in [Backend]; expected a key's name"),
      (
        "Schema=a b\nKey=c",
        "x.row:5: Schema is 'a b'; expected a schema's id such as org.gnome.desktop.interface"
      ),
      (
        "Schema=a.b\nKey=c/d", "x.row:6: Key is 'c/d'; expected a key's name such as color-scheme"
      ),
      (
        "Schema=a.b\nKey=c\nPath=/a/b",
        "x.row:7: Path is '/a/b'; expected the schema's path such as /org/example/profile/"
      ),
    ])
  func wrong(keys: String, error: String) {
    #expect(errors(text(keys)) == [error])
  }

  @Test("is there while one of the bus names that it lists has an owner")
  func busNames() throws {
    let keys = "Schema=a.b\nKey=c\nBusName="
    #expect(try row(text(keys + "org.example.Shell")).backend.busNames == ["org.example.Shell"])
    #expect(try row(text(keys + "a.b;c.d;")).backend.busNames == ["a.b", "c.d"])
    #expect(try row(text("Schema=a.b\nKey=c")).backend.busNames == [])
    let expected = "; expected well-known bus names such as org.gnome.Shell"
    #expect(errors(text(keys)) == ["x.row:7: BusName is empty\(expected)"])
    #expect(
      errors(text(keys + "a.b;lamp;:1.2")) == [
        "x.row:7: BusName lists ':1.2'\(expected)", "x.row:7: BusName lists 'lamp'\(expected)",
      ])
  }

  @Test("has no place on the system bus, where nobody has settings")
  func system() {
    #expect(
      errors(text("Schema=a.b\nKey=c", "Bus=system\n")) == [
        "x.row:5: Type=gsettings stands in a row of the system bus; expected Bus=session"
      ])
  }
}
