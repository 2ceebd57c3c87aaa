// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("The [Backend] group of type airplane")
struct AirplaneDefinitionTests {
  private func text(_ backend: String) -> String {
    "[Row]\nTitle=A\n[Backend]\nType=airplane\n\(backend)\n"
  }

  private func load(_ texts: [String: String]) -> Catalogue {
    let files = MemoryFiles(
      Dictionary(uniqueKeysWithValues: texts.map { ("/r/\($0.key).row", $0.value) }))
    return Catalogue.load(layers: [CatalogueLayer("/r")], scope: .session, from: files)
  }

  @Test("lists its members")
  func members() throws {
    let catalogue = load([
      "wifi": storedRow("A"), "bluetooth": storedRow("B"), "x": text("Members=wifi;bluetooth;"),
    ])
    #expect(catalogue.errors.isEmpty)
    let backend = try #require(catalogue.rows[try id("x")]).backend
    #expect(
      backend.kind
        == .airplane(AirplaneBackendDefinition(members: [try id("wifi"), try id("bluetooth")])))
    #expect(backend.typeName == "airplane")
  }

  @Test(
    "is told what is wrong with it",
    arguments: [
      ("", "x.row:3: Members is missing in [Backend]; expected the ids of rows"),
      ("Members=a;a", "x.row:5: Members lists 'a' twice; expected each row once"),
      ("Members=a;x", "x.row:5: Members lists 'x', the row itself; expected other rows"),
      (
        "Members=a\nRows=b",
        "x.row:6: Type=airplane has no key 'Rows'; expected Invert, Members or Type"
      ),
    ])
  func wrong(_ keys: String, _ expected: String) {
    #expect(errors(text(keys)) == [expected])
  }

  @Test("has its members checked as a group's are: known, of its bus, in no circle")
  func catalogue() throws {
    let catalogue = load([
      "wifi": storedRow("A"), "masked": "", "system": storedRow("S", "Bus=system"),
      "radios": "[Row]\nTitle=G\n[Backend]\nType=group\nRows=wifi;\n",
      "good": text("Members=wifi;radios;masked"), "unknown": text("Members=wfi"),
      "other": text("Members=wifi;system"), "circle": text("Members=round"),
      "round": "[Row]\nTitle=G\n[Backend]\nType=group\nRows=circle;wifi\n",
    ])
    #expect(catalogue.rows.keys.map(\.rawValue).sorted() == ["good", "radios", "wifi"])
    #expect(
      catalogue.rows[try id("good")]?.backend.members.map(\.rawValue) == ["wifi", "radios"])
    #expect(
      catalogue.errors.map(\.description) == [
        "/r/circle.row:5: Members lists 'round', which leads back to this group; a group can't "
          + "contain itself",
        "/r/other.row:5: Members lists 'system', a row of the system bus; expected rows of the "
          + "session bus, as the group is",
        "/r/round.row:5: Rows lists 'circle', which leads back to this group; a group can't "
          + "contain itself",
        "/r/unknown.row:5: Members lists 'wfi', which is no row; did you mean wifi?",
      ])
    #expect(
      catalogue.warnings.map(\.description) == [
        "/r/good.row:5: Members lists 'masked', which is not published; the group does without it"
      ])
  }
}
