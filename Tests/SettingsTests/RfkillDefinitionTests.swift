// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("The [Backend] group of type rfkill")
struct RfkillDefinitionTests {
  private func text(_ backend: String, _ row: String = "") -> String {
    "[Row]\nTitle=A\n\(row)[Backend]\nType=rfkill\n\(backend)\n"
  }

  @Test("names a class of radios, on either bus", arguments: RadioClass.allCases)
  func classes(_ radios: RadioClass) throws {
    for scope in [Scope.session, .system] {
      let bus = scope == .system ? "Bus=system\n" : ""
      let definition = try row(text("Class=\(radios.rawValue)", bus), scope: scope).backend
      #expect(definition.kind == .rfkill(RfkillBackendDefinition(radios: radios)))
      #expect(definition.typeName == "rfkill")
    }
  }

  @Test("needs a class that there is, and nothing else")
  func mistakes() {
    let classes = "all, wlan, bluetooth, wwan, uwb, wimax, gps, fm or nfc"
    #expect(
      errors(text("")) == ["x.row:3: Class is missing in [Backend]; expected \(classes)"])
    #expect(
      errors(text("Class=wifi")) == ["x.row:5: Class is 'wifi'; expected \(classes)"])
    #expect(
      errors(text("Class=wlan\nPath=/dev/rfkill")) == [
        "x.row:6: Type=rfkill has no key 'Path'; expected Class, Invert or Type"
      ])
  }
}
