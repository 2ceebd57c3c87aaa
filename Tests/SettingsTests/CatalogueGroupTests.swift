// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("Groups in a catalogue")
struct CatalogueGroupTests {
  private func group(_ rows: String, _ keys: String = "") -> String {
    "[Row]\nTitle=G\n\(keys)[Backend]\nType=group\nRows=\(rows)\n"
  }

  private func load(_ texts: [String: String], _ scope: Scope = .session) -> Catalogue {
    let files = MemoryFiles(
      Dictionary(uniqueKeysWithValues: texts.map { ("/r/\($0.key).row", $0.value) }))
    return Catalogue.load(layers: [CatalogueLayer("/r")], scope: scope, from: files)
  }

  private func ids(_ catalogue: Catalogue) -> [String] {
    catalogue.rows.keys.map(\.rawValue).sorted()
  }

  private func members(_ catalogue: Catalogue, _ text: String) throws -> [String] {
    guard case .group(let group) = catalogue.rows[try id(text)]?.backend.kind else { return [] }
    return group.rows.map(\.rawValue)
  }

  @Test("may hold rows and other groups")
  func nested() throws {
    let catalogue = load([
      "a": storedRow("A"), "b": storedRow("B"), "g": group("a;b"), "h": group("g;a"),
    ])
    #expect(catalogue.errors.isEmpty)
    #expect(catalogue.warnings.isEmpty)
    #expect(ids(catalogue) == ["a", "b", "g", "h"])
    #expect(try members(catalogue, "h") == ["g", "a"])
  }

  @Test("are skipped where a member is no row, and the near name is told")
  func unknown() {
    let catalogue = load([
      "wifi": storedRow("A"), "g": group("wfi"), "h": group("wifi;nothing_like"),
    ])
    #expect(ids(catalogue) == ["wifi"])
    #expect(
      catalogue.errors.map(\.description) == [
        "/r/g.row:5: Rows lists 'wfi', which is no row; did you mean wifi?",
        "/r/h.row:5: Rows lists 'nothing_like', which is no row; expected nothing_like.row",
      ])
  }

  @Test("are skipped where a member is on the other bus")
  func otherBus() {
    let texts = ["a": storedRow("A", "Bus=system"), "b": storedRow("B"), "g": group("b;a")]
    let catalogue = load(texts)
    #expect(ids(catalogue) == ["b"])
    #expect(
      catalogue.errors.map(\.description) == [
        "/r/g.row:5: Rows lists 'a', a row of the system bus; expected rows of the session bus, as "
          + "the group is"
      ])
    #expect(load(texts, .system).errors.isEmpty)
  }

  @Test("are skipped where they lead back to themselves, and only those")
  func circles() throws {
    let catalogue = load([
      "row": storedRow("A"), "a": group("row;b"), "b": group("c"), "c": group("a;row"),
      "outside": group("a;row"), "member": group("row"), "self": group("row;self"),
    ])
    #expect(ids(catalogue) == ["member", "outside", "row"])
    #expect(try members(catalogue, "outside") == ["row"])
    #expect(
      catalogue.errors.map(\.description) == [
        "/r/a.row:5: Rows lists 'b', which leads back to this group; a group can't contain itself",
        "/r/b.row:5: Rows lists 'c', which leads back to this group; a group can't contain itself",
        "/r/c.row:5: Rows lists 'a', which leads back to this group; a group can't contain itself",
        "/r/self.row:5: Rows lists 'self', the row itself; expected other rows",
      ])
  }

  @Test("do without members whose files are wrong, masked or hidden")
  func unpublishedMembers() throws {
    let catalogue = load([
      "ok": storedRow("A"), "wrong": "[Row]\n", "masked": "",
      "hidden": storedRow("H", "Hidden=true"),
      "g": group("wrong;ok;masked;hidden"),
    ])
    #expect(try members(catalogue, "g") == ["ok"])
    #expect(catalogue.errors.map(\.file) == ["/r/wrong.row", "/r/wrong.row"])
    #expect(
      catalogue.warnings.map(\.description) == [
        "/r/g.row:5: Rows lists 'hidden', which is not published; the group does without it",
        "/r/g.row:5: Rows lists 'masked', which is not published; the group does without it",
        "/r/g.row:5: Rows lists 'wrong', which is not published; the group does without it",
      ])
  }

  @Test("are skipped where no member is left, and so are groups of those alone")
  func noMembers() {
    let catalogue = load(["masked": "", "g": group("masked"), "h": group("g")])
    #expect(catalogue.rows.isEmpty)
    #expect(
      catalogue.errors.map(\.description) == [
        "/r/g.row:5: none of the rows in Rows is published; expected at least one",
        "/r/h.row:5: none of the rows in Rows is published; expected at least one",
      ])
  }

  @Test("nest sixteen deep at most, and long chains and circles are only errors")
  func long() throws {
    let count = 3000
    var chain = ["g\(count)": storedRow("End")]
    for number in 0..<count { chain["g\(number)"] = group("g\(number + 1)") }
    let nested = load(chain)
    #expect(nested.rows.count == 17)
    #expect(nested.rows[try #require(RowID("g\(count - 16)"))] != nil)
    #expect(nested.errors.count == count - 16)
    #expect(
      nested.errors.map(\.description).contains(
        "/r/g\(count - 17).row:5: the group is nested 17 deep; expected 16 at most"))
    chain["g\(count)"] = group("g0")
    let circle = load(chain)
    #expect(circle.rows.isEmpty)
    #expect(circle.errors.count == count + 1)
  }
}
