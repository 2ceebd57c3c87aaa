// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("The [Backend] group of type inhibit")
struct InhibitDefinitionTests {
  private func text(_ backend: String) -> String {
    "[Row]\nTitle=A\n[Backend]\nType=inhibit\n\(backend)\n"
  }

  private func inhibitor(_ backend: String) throws -> InhibitBackendDefinition? {
    let definition = try row(text(backend)).backend
    #expect(definition.typeName == "inhibit")
    guard case .inhibit(let inhibitor) = definition.kind else { return nil }
    return inhibitor
  }

  @Test("needs to be told what, and says who and why by itself")
  func defaults() throws {
    #expect(
      try inhibitor("What=sleep")
        == InhibitBackendDefinition(
          what: [.sleep], who: "toggled", why: "row x is on", mode: .block))
    #expect(
      errors(text("Why=a")) == [
        "x.row:3: What is missing in [Backend]; expected a list of \(Self.locks)"
      ])
  }

  @Test("takes all that logind can keep from happening")
  func everything() throws {
    #expect(
      try inhibitor(
        """
        What=shutdown; sleep;idle;handle-power-key;handle-reboot-key;handle-suspend-key;\
        handle-hibernate-key;handle-lid-switch;
        Who=Backup
        Why=A copy is being made
        Mode=block
        """)
        == InhibitBackendDefinition(
          what: [
            .shutdown, .sleep, .idle, .powerKey, .rebootKey, .suspendKey, .hibernateKey, .lidSwitch,
          ], who: "Backup", why: "A copy is being made", mode: .block))
  }

  @Test("can delay a shutdown and sleep, and nothing else")
  func delay() throws {
    #expect(try inhibitor("What=sleep;shutdown\nMode=delay")?.mode == .delay)
    #expect(
      errors(text("What=sleep;idle\nMode=delay")) == [
        "x.row:6: Mode is 'delay', and idle can't be delayed; expected block"
      ])
    #expect(
      errors(text("What=sleep\nMode=block-weak")) == [
        "x.row:6: Mode is 'block-weak'; expected block or delay"
      ])
  }

  @Test("takes no words that logind does not know, and no empty text")
  func mistakes() {
    #expect(
      errors(text("What=sleep:idle;naps\nWho=\nWhy=")) == [
        "x.row:5: What lists 'naps'; expected a list of \(Self.locks)",
        "x.row:5: What lists 'sleep:idle'; expected a list of \(Self.locks)",
        "x.row:6: Who is empty; expected a text", "x.row:7: Why is empty; expected a text",
      ])
    #expect(
      errors(text("What=")) == ["x.row:5: What is empty; expected a list of \(Self.locks)"])
    #expect(
      errors(text("What=idle\nPath=/a")) == [
        "x.row:6: Type=inhibit has no key 'Path'; "
          + "expected Invert, Mode, Type, What, Who or Why"
      ])
  }

  private static let locks =
    "shutdown, sleep, idle, handle-power-key, handle-reboot-key, handle-suspend-key, "
    + "handle-hibernate-key or handle-lid-switch"
}
