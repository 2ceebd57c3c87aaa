// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("sequence and first in row files")
struct CompoundDefinitionTests {
  private func text(_ backend: String, _ parts: String...) -> String {
    "[Row]\nTitle=X\n[Backend]\n\(backend)\n" + parts.map { "\($0)\n" }.joined()
  }

  private static let one = "[Backend.one]\nType=file\nPath=/one"
  private static let two = "[Backend.two]\nType=file\nPath=/two\nInvert=true"

  private var one: PartDefinition {
    PartDefinition("one", BackendDefinition(.file(FileBackendDefinition(path: "/one"))))
  }

  private var two: PartDefinition {
    PartDefinition(
      "two", BackendDefinition(.file(FileBackendDefinition(path: "/two")), isInverted: true))
  }

  @Test("a sequence has its steps in order, and off turns the last one off alone")
  func sequence() throws {
    let row = try row(text("Type=sequence\nSteps=two;one", Self.one, Self.two))
    #expect(
      row.backend.kind
        == .sequence(SequenceBackendDefinition(steps: [two, one], offSteps: [1])))
    #expect(row.backend.typeName == "sequence")
  }

  @Test("OffSteps has an order of its own")
  func offSteps() throws {
    let row = try row(
      text("Type=sequence\nSteps=one;two\nOffSteps=two;one\nInvert=true", Self.one, Self.two))
    #expect(
      row.backend
        == BackendDefinition(
          .sequence(SequenceBackendDefinition(steps: [one, two], offSteps: [1, 0])),
          isInverted: true))
  }

  @Test("first has its alternatives in order")
  func first() throws {
    let row = try row(text("Type=first\nOf=two;one", Self.one, Self.two))
    #expect(row.backend.kind == .first(FirstBackendDefinition([two, one])))
    #expect(row.backend.typeName == "first")
  }

  @Test("first may prefer one that is on")
  func prefersOn() throws {
    let row = try row(text("Type=first\nOf=two;one\nPreferOn=true", Self.one, Self.two))
    #expect(row.backend.kind == .first(FirstBackendDefinition([two, one], prefersOn: true)))
  }

  @Test("is assumed when one of its parts is")
  func assumed() throws {
    let blind = "[Backend.two]\nType=command\nOn=true\nOff=true"
    #expect(try row(text("Type=first\nOf=one;two", Self.one, blind)).backend.isAssumed)
    #expect(try row(text("Type=sequence\nSteps=one;two", Self.one, blind)).backend.isAssumed)
    #expect(try !row(text("Type=first\nOf=one;two", Self.one, Self.two)).backend.isAssumed)
  }

  @Test("a part of a system row may name a polkit action of its own, and has the row's else")
  func polkitAction() throws {
    let backend = "Type=first\nOf=one;two"
    let system = "[Row]\nTitle=X\nBus=system\nPolkitAction=a.row\n[Backend]\n\(backend)\n"
    let row = try row("\(system)\(Self.one)\nPolkitAction=a.part\n\(Self.two)\n", scope: .system)
    #expect(row.backend.polkitActions(rowAction: row.flipAction) == ["a.part", "a.row"])
    #expect(
      errors(text(backend, "\(Self.one)\nPolkitAction=a.part", Self.two)) == [
        "x.row:9: PolkitAction stands in a row of the session bus; expected Bus=system"
      ])
    #expect(
      errors(text("Type=file\nPath=/x\nPolkitAction=a.b")).first?.hasPrefix(
        "x.row:6: Type=file has no key 'PolkitAction'") == true)
  }

  private struct Mistake: CustomTestStringConvertible, Sendable {
    let backend: String
    var parts = [CompoundDefinitionTests.one, CompoundDefinitionTests.two]
    let error: String

    var testDescription: String { error }
  }

  @Test(
    "a mistake is told with its line",
    arguments: [
      Mistake(
        backend: "Type=sequence\nSteps=one",
        error: "x.row:9: nothing uses [Backend.two]; "
          + "expected its name in Steps of [Backend]"),
      Mistake(
        backend: "Type=first\nOf=one;tow;two",
        error: "x.row:5: Of lists 'tow', and there is no group [Backend.tow]; did you mean two?"),
      Mistake(
        backend: "Type=first\nOf=one;two;one",
        error: "x.row:5: Of lists 'one' twice; expected each once"),
      Mistake(
        backend: "Type=sequence\nSteps=one;two\nOffSteps=one",
        error: "x.row:6: OffSteps does not list 'two'; expected it, as the last of Steps says "
          + "whether the row is off"),
      Mistake(
        backend: "Type=sequence\nSteps=one;two\nOffSteps=two;three",
        error: "x.row:6: OffSteps lists 'three', which Steps does not; expected steps of Steps"),
      Mistake(
        backend: "Type=sequence\nSteps=one;two\nOffSteps=two;two",
        error: "x.row:6: OffSteps lists 'two' twice; expected each once"),
      Mistake(
        backend: "Type=sequence", parts: [],
        error: "x.row:3: Steps is missing in [Backend]; expected the names of groups "
          + "[Backend.name] of this file (a to z, 0 to 9 and _, a letter first, at most 64 "
          + "characters)"),
      Mistake(
        backend: "Type=first\nOf=One", parts: [],
        error: "x.row:5: Of lists 'One'; expected the names of groups [Backend.name] of this file "
          + "(a to z, 0 to 9 and _, a letter first, at most 64 characters)"),
      Mistake(
        backend: "Type=first\nOf=one;two",
        parts: [one, "[Backend.two]\nType=file\nPath=two"],
        error: "x.row:11: Path is 'two'; expected an absolute path such as "
          + "/proc/sys/net/ipv4/ip_forward"),
      Mistake(
        backend: "Type=first\nOf=one;two", parts: [one, "[Backend.two]\nPath=/two"],
        error: "x.row:9: Type is missing in [Backend.two]; expected dbus"),
    ])
  private func mistake(example: Mistake) {
    let found = errors(
      "[Row]\nTitle=X\n[Backend]\n\(example.backend)\n"
        + example.parts.map { "\($0)\n" }.joined())
    #expect(found.count == 1 && found.first?.hasPrefix(example.error) == true, "\(found)")
  }

  @Test(
    "no part is about other rows, keeps the row's value, or has parts itself",
    arguments: ["stored", "group", "airplane", "sequence", "first"])
  func types(type: String) {
    let found = errors(text("Type=first\nOf=one;two", Self.one, "[Backend.two]\nType=\(type)"))
    #expect(
      found.first?.hasPrefix(
        "x.row:10: Type=\(type) can't be part of another backend; expected dbus, ") == true,
      "\(found)")
  }

  @Test("a part of a system row can't reach into a session")
  func scope() {
    let part = "[Backend.one]\nType=unit\nUnit=a.service\nBus=session"
    let found = errors("[Row]\nTitle=X\nBus=system\n[Backend]\nType=first\nOf=one\n\(part)\n")
    #expect(found == ["x.row:10: Bus is 'session'; expected system, the bus of the row itself"])
  }

  @Test("another type has no parts")
  func strangers() {
    let found = errors(text("Type=stored", Self.one))
    #expect(found.count == 1 && found[0].contains("there is no group [Backend.one]"), "\(found)")
  }

  @Test("a drop-in amends a part, adds one and changes the order")
  func dropIns() throws {
    let id = try id("x")
    let files = MemoryFiles([
      "/r/x.row": text("Type=first\nOf=one;two", Self.one, Self.two),
      "/r/x.row.d/1.conf":
        "[Backend]\nOf=three;one;two\n[Backend.one]\nPath=/other\n"
        + "[Backend.three]\nType=file\nPath=/three\n",
    ])
    let catalogue = Catalogue.load(layers: [CatalogueLayer("/r")], scope: .session, from: files)
    #expect(catalogue.errors == [])
    guard case .first(let first)? = catalogue.rows[id]?.backend.kind else {
      Issue.record("there is no such row")
      return
    }
    #expect(first.alternatives.map(\.name) == ["three", "one", "two"])
    let kinds = first.alternatives.map(\.backend.kind)
    #expect(kinds[0] == .file(FileBackendDefinition(path: "/three")))
    #expect(kinds[1] == .file(FileBackendDefinition(path: "/other")))
  }

  @Test("a drop-in is checked by itself")
  func checkedDropIn() {
    #expect(errors("[Backend.one]\nPath=/other\n", in: "x.row.d/1.conf") == [])
    #expect(
      errors("[Backend]\nType=first\nOf=one\n[Backend.two]\nType=file\n", in: "x.row.d/1.conf")
        == [])
    let found = errors("[Backend.one]\nPath=other\n", in: "x.row.d/1.conf")
    #expect(found.count == 1 && found[0].contains("Path is 'other'"), "\(found)")
    let wrong = errors("[Backend.one]\nType=group\n", in: "x.row.d/1.conf")
    #expect(wrong.count == 1 && wrong[0].contains("can't be part"), "\(wrong)")
  }

  @Test("a part that a drop-in makes wrong costs the drop-in, not the row")
  func wrongDropIn() throws {
    let files = MemoryFiles([
      "/r/x.row": text("Type=first\nOf=one;two", Self.one, Self.two),
      "/r/x.row.d/1.conf": "[Backend.three]\nType=file\nPath=/three\n",
    ])
    let catalogue = Catalogue.load(layers: [CatalogueLayer("/r")], scope: .session, from: files)
    #expect(catalogue.rows[try id("x")] != nil)
    #expect(catalogue.errors.count == 1)
    #expect(catalogue.errors.first?.description.contains("nothing uses [Backend.three]") == true)
  }
}
