// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("The [Backend] group of type unit")
struct UnitDefinitionTests {
  private func text(_ backend: String, _ row: String = "") -> String {
    "[Row]\nTitle=A\n\(row)[Backend]\nType=unit\n\(backend)\n"
  }

  private func unit(_ backend: String, scope: Scope = .session) throws -> UnitBackendDefinition? {
    let bus = scope == .system ? "Bus=system\n" : ""
    let definition = try row(text(backend, bus), scope: scope).backend
    #expect(definition.typeName == "unit")
    guard case .unit(let unit) = definition.kind else { return nil }
    return unit
  }

  @Test("needs a unit, and is of the row's own manager")
  func defaults() throws {
    #expect(
      try unit("Unit=cups.service", scope: .system)
        == UnitBackendDefinition(bus: .system, unit: "cups.service", enables: false))
    #expect(
      try unit("Unit=backup.timer\nEnable=true")
        == UnitBackendDefinition(bus: .session, unit: "backup.timer", enables: true))
    #expect(
      errors(text("Enable=yes")) == [
        "x.row:3: Unit is missing in [Backend]; expected the name of a unit",
        "x.row:5: Enable is 'yes'; expected true or false",
      ])
    #expect(
      errors(text("Unit=a\nPath=/a")) == [
        "x.row:6: Type=unit has no key 'Path'; expected Bus, Enable, Invert, Type or Unit"
      ])
  }

  @Test("of a session row may be the system's, and of a system row not a user's")
  func buses() throws {
    #expect(try unit("Unit=a\nBus=system")?.bus == .system)
    #expect(
      errors(text("Unit=a\nBus=session", "Bus=system\n")) == [
        "x.row:7: Bus is 'session'; expected system, the bus of the row itself"
      ])
  }

  @Test(
    "takes what systemd takes, and a name without a unit's suffix as a service's",
    arguments: [
      ("cups", "cups.service"), ("cups.socket", "cups.socket"),
      ("org.example.Daemon", "org.example.Daemon.service"),
      ("foo@bar.service", "foo@bar.service"), ("foo@bar", "foo@bar.service"),
      ("foo@a@.service", "foo@a@.service"), ("foo@.x.timer", "foo@.x.timer"),
      ("dev-disk\\\\x2d1.mount", "dev-disk\\x2d1.mount"), ("-.slice", "-.slice"),
      ("a:b_c.target", "a:b_c.target"), ("service", "service.service"),
    ])
  func names(_ given: String, _ full: String) throws {
    #expect(try unit("Unit=\(given)")?.unit == full)
  }

  @Test("of a template needs an instance", arguments: ["foo@.service", "foo@", "foo@.timer"])
  func templates(_ name: String) {
    let suffix = name.hasSuffix("timer") ? "timer" : "service"
    #expect(
      errors(text("Unit=\(name)")) == [
        "x.row:5: Unit is '\(name)', a template; expected one instance of it, such as "
          + "foo@name.\(suffix)"
      ])
  }

  @Test(
    "takes no name that no unit can have",
    arguments: ["/etc/passwd", "a b.service", "é.service", "@x.service", ".service", "a\\nb", "*"])
  func wrongNames(_ name: String) {
    let errors = errors(text("Unit=\(name)"))
    #expect(errors.count == 1)
    #expect(
      errors.first?.hasSuffix("; expected the name of a unit such as cups.service") == true,
      "\(errors)")
  }

  @Test("takes names of 255 bytes and no longer")
  func lengths() throws {
    let longest = String(repeating: "a", count: 247) + ".service"
    #expect(try unit("Unit=\(longest)")?.unit == longest)
    #expect(errors(text("Unit=a\(longest)")).count == 1)
    #expect(errors(text("Unit=")).count == 1)
  }
}
