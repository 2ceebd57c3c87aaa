// SPDX-License-Identifier: MIT

import DBusTypes
import Settings
import Testing

@Suite("The [Backend] group")
struct BackendDefinitionTests {
  private func text(_ backend: String, _ row: String = "") -> String {
    "[Row]\nTitle=A\n\(row)[Backend]\n\(backend)\n"
  }

  private func backend(_ backend: String) throws -> BackendDefinition {
    try row(text(backend)).backend
  }

  private func variants(_ texts: String...) throws -> [VariantText] {
    try texts.map { try VariantText.parse($0) }
  }

  // MARK: Types

  @Test("has one of the known types")
  func unknownType() {
    let expected =
      "stored, dbus, rfkill, airplane, unit, file, command, gsettings, inhibit, group, sequence "
      + "or first"
    #expect(errors(text("Type=dconf")) == ["x.row:4: Type is 'dconf'; expected \(expected)"])
    #expect(errors(text("Type=")) == ["x.row:4: Type is empty; expected \(expected)"])
    let missing = "x.row:3: Type is missing in [Backend]; expected \(expected)"
    #expect(errors(text("")) == [missing])
    #expect(
      errors(text("Typ=file\nPath=/a")) == [
        missing, "x.row:4: [Backend] has no key 'Typ'; did you mean Type?",
      ])
  }

  @Test("of type stored has no keys but Invert")
  func stored() throws {
    #expect(try backend("Type=stored") == BackendDefinition(.stored))
    #expect(try backend("Type=stored\nInvert=true").isInverted)
    #expect(try backend("Type=stored").typeName == "stored")
    #expect(
      errors(text("Type=stored\nPath=/a")) == [
        "x.row:5: Type=stored has no key 'Path'; expected Invert or Type"
      ])
    #expect(
      errors(text("Type=stored\nInvert=no")) == [
        "x.row:5: Invert is 'no'; expected true or false"
      ])
  }

  // MARK: dbus

  @Test("of type dbus needs little for a truth on one object")
  func dbusDefaults() throws {
    let backend = try backend(
      "Type=dbus\nService=org.bluez\nPath=/org/bluez/hci0\nInterface=org.bluez.Adapter1\n"
        + "Property=Powered")
    #expect(
      backend.kind
        == .dbus(
          DBusBackendDefinition(
            bus: .session, service: "org.bluez", target: .object("/org/bluez/hci0"),
            interface: "org.bluez.Adapter1", property: "Powered", on: try variants("true"),
            off: try variants("false"), setter: .property, startsService: false, interval: nil)))
    #expect(backend.typeName == "dbus")
  }

  @Test("of type dbus says all there is to say")
  func dbusEverything() throws {
    let backend = try backend(
      """
      Type=dbus
      Bus=system
      Service=org.bluez
      Implements=org.bluez.Adapter1
      Path=/org/bluez
      Interface=org.bluez.Adapter2
      Property=Mode
      On='a\\;b';uint32 1
      Off='c' ; "d";
      SetMethod=SetMode
      SetArguments=(%v, false, uint32 3)
      Autostart=true
      Interval=2
      Invert=true
      """)
    let arguments = try VariantText.parse("(%v, false, uint32 3)", options: .placeholder)
    #expect(
      backend
        == BackendDefinition(
          .dbus(
            DBusBackendDefinition(
              bus: .system, service: "org.bluez",
              target: .implementers(of: "org.bluez.Adapter1", manager: "/org/bluez"),
              interface: "org.bluez.Adapter2", property: "Mode",
              on: try variants("'a;b'", "uint32 1"), off: try variants("'c'", "\"d\""),
              setter: .method("SetMode", arguments: arguments), startsService: true,
              interval: .seconds(2))), isInverted: true))
  }

  private func dbus(_ more: String) throws -> DBusBackendDefinition {
    let backend = try backend("Type=dbus\nService=a.b\nProperty=P\n\(more)")
    guard case .dbus(let definition) = backend.kind else {
      throw ConfigError(file: "x.row", line: 0, message: "not of type dbus")
    }
    return definition
  }

  @Test("of type dbus takes Interface from Implements, and / for the ObjectManager")
  func implements() throws {
    let definition = try dbus("Implements=a.b.C")
    #expect(definition.target == .implementers(of: "a.b.C", manager: "/"))
    #expect(definition.interface == "a.b.C")
  }

  @Test("of type dbus writes by a method with the value alone unless it has arguments")
  func setMethod() throws {
    let definition = try dbus("Implements=a.b.C\nSetMethod=Set")
    let value = try VariantText.parse("%v", options: .placeholder)
    #expect(definition.setter == .method("Set", arguments: value))
  }

  @Test(
    "of type dbus knows the opposite of a truth, and of nothing else",
    arguments: [("true", ["false"]), ("false", ["true"]), ("'a'", []), ("true;1", [])])
  func opposites(_ on: String, _ off: [String]) throws {
    #expect(try dbus("Implements=a.b.C\nOn=\(on)").off.map(\.source) == off)
  }

  @Test(
    "of type dbus is wrong with a value that is not one",
    arguments: [
      ("Service", "bluez", "Service is 'bluez'; expected a well-known bus name such as org.bluez"),
      ("Service", ":1.5", "Service is ':1.5'; expected a well-known bus name such as org.bluez"),
      ("Path", "a/b", "Path is 'a/b'; expected an object path such as /org/bluez"),
      ("Path", "/a/", "Path is '/a/'; expected an object path such as /org/bluez"),
      ("Interface", "a", "Interface is 'a'; expected an interface name such as org.bluez.Adapter1"),
      (
        "Implements", "a-b.c",
        "Implements is 'a-b.c'; expected an interface name such as org.bluez.Adapter1"
      ),
      ("Property", "a.b", "Property is 'a.b'; expected a property's name such as Powered"),
      ("Bus", "user", "Bus is 'user'; expected system or session"),
      ("Autostart", "", "Autostart is empty; expected true or false"),
      ("Interval", "0", "Interval is '0'; expected seconds from 0.1 to 86400"),
      ("On", "", "On is empty, which is no GVariant text: expected a value"),
      (
        "On", "power",
        "On lists 'power', which is no GVariant text: expected a value, found the "
          + "word power: a text needs quotes, as in 'power' (at byte 1)"
      ),
      (
        "On", "'a",
        "On lists ''a', which is no GVariant text: the text that starts here has no "
          + "closing quote (at byte 1); a ; within a text is written \\;"
      ),
      ("SetMethod", "a.b", "SetMethod is 'a.b'; expected a method's name such as SetNTP"),
      ("On[es]", "1", "On[es]: On can't be translated; expected On="),
    ])
  func dbusBadValue(_ key: String, _ value: String, _ expected: String) {
    var lines = ["Service=a.b", "Path=/a", "Interface=a.b", "Property=P"]
    lines.removeAll { $0.hasPrefix(key + "=") }
    let text = text("Type=dbus\n\(key)=\(value)\n" + lines.joined(separator: "\n"))
    #expect(errors(text) == ["x.row:5: \(expected)"])
  }

  @Test(
    "of type dbus is wrong where parts are missing or don't go together",
    arguments: [
      (
        "",
        [
          "x.row:3: Interface is missing in [Backend]; expected the interface of the property",
          "x.row:3: Path is missing in [Backend]; expected an object path, or Implements=",
          "x.row:3: Property is missing in [Backend]; expected a property's name",
          "x.row:3: Service is missing in [Backend]; expected a well-known bus name",
        ]
      ),
      (
        "Service=a.b\nImplements=a.b\nProperty=P\nOff=1",
        [
          "x.row:3: On is missing in [Backend]; expected the values that mean on, as Off is there"
        ]
      ),
      (
        "Service=a.b\nImplements=a.b\nProperty=P\nOn=1;2\nOff=3;2",
        [
          "x.row:9: Off lists '2', as On does; expected other values"
        ]
      ),
      (
        "Service=a.b\nImplements=a.b\nProperty=P\nSetArguments=(%v,)",
        [
          "x.row:8: SetArguments stands without SetMethod; expected both"
        ]
      ),
      (
        "Service=a.b\nImplements=a.b\nProperty=P\nOn=%v",
        [
          "x.row:8: On lists '%v', which is no GVariant text: %v has no meaning here (at byte 1)"
        ]
      ),
      (
        "Service=a.b\nImplements=a.b\nProperty=P\nRows=a",
        [
          "x.row:8: Type=dbus has no key 'Rows'; expected Autostart, Bus, Implements, Interface, "
            + "Interval, Invert, Off, On, Path, Property, Service, SetArguments, SetMethod or Type"
        ]
      ),
    ])
  func dbusWholes(_ keys: String, _ expected: [String]) {
    #expect(errors(text("Type=dbus\n\(keys)")) == expected)
  }

  @Test("of type dbus is on the row's bus by default, and a system row's on no other")
  func dbusBus() throws {
    let keys = "Type=dbus\nService=a.b\nImplements=a.b\nProperty=P\n"
    let row = try row(text(keys, "Bus=system\n"), scope: .system)
    guard case .dbus(let definition) = row.backend.kind else {
      Issue.record("not of type dbus")
      return
    }
    #expect(definition.bus == .system)
    #expect(
      errors(text(keys + "Bus=session", "Bus=system\n")) == [
        "x.row:9: Bus is 'session'; expected system, the bus of the row itself"
      ])
  }

  // MARK: file

  @Test("of type file has texts for on and off, 1 and 0 without")
  func file() throws {
    #expect(
      try backend("Type=file\nPath=/proc/x").kind
        == .file(FileBackendDefinition(path: "/proc/x", on: ["1"], off: ["0"], interval: nil)))
    #expect(
      try backend("Type=file\nPath=/a b\nOn=Y;yes;\nOff=N;;\\sno\nInterval=0.5").kind
        == .file(
          FileBackendDefinition(
            path: "/a b", on: ["Y", "yes"], off: ["N", "", " no"], interval: .milliseconds(500))))
    #expect(
      try backend("Type=file\nPath=/a\nOn=Y").kind
        == .file(FileBackendDefinition(path: "/a", on: ["Y"], off: [], interval: nil)))
    #expect(
      try backend("Type=file\nPath=/a\nOn=Y\nOff=;").kind
        == .file(FileBackendDefinition(path: "/a", on: ["Y"], off: [""], interval: nil)))
    #expect(try backend("Type=file\nPath=/a").typeName == "file")
  }

  @Test(
    "of type file is wrong with a value that is not one",
    arguments: [
      ("", ["x.row:3: Path is missing in [Backend]; expected an absolute path"]),
      (
        "Path=",
        [
          "x.row:5: Path is empty; expected an absolute path such as "
            + "/proc/sys/net/ipv4/ip_forward"
        ]
      ),
      (
        "Path=~/a",
        [
          "x.row:5: Path is '~/a'; expected an absolute path such as "
            + "/proc/sys/net/ipv4/ip_forward"
        ]
      ),
      ("Path=/a\nOn=", ["x.row:6: On is empty; expected the texts that mean on"]),
      (
        "Path=/a\nOff=0",
        [
          "x.row:3: On is missing in [Backend]; expected the texts that mean on, "
            + "as Off is there"
        ]
      ),
      ("Path=/a\nOn=1;2\nOff=2", ["x.row:7: Off lists '2', as On does; expected other texts"]),
      (
        "Path=/a\nInterval=86401",
        [
          "x.row:6: Interval is '86401'; expected seconds from 0.1 to "
            + "86400"
        ]
      ),
      (
        "Path=/a\nOn=\\q",
        [
          "x.row:6: On holds the escape \\q; expected \\s, \\n, \\t, \\r, \\\\ or "
            + "\\;"
        ]
      ),
    ])
  func fileBadValue(_ keys: String, _ expected: [String]) {
    #expect(errors(text("Type=file\n\(keys)")) == expected)
  }

  // MARK: group

  @Test("of type group lists rows")
  func group() throws {
    let text = text("Type=group\nRows=a;b_c;\nExclusive=true")
    #expect(errors(text).isEmpty)
    let files = MemoryFiles([
      "/r/x.row": text, "/r/a.row": storedRow("A"), "/r/b_c.row": storedRow("B"),
    ])
    let catalogue = Catalogue.load(layers: [CatalogueLayer("/r")], scope: .session, from: files)
    let backend = try #require(catalogue.rows[try id("x")]).backend
    #expect(
      backend.kind
        == .group(GroupBackendDefinition(rows: [try id("a"), try id("b_c")], isExclusive: true)))
    #expect(backend.typeName == "group")
  }

  @Test(
    "of type group is wrong with a value that is not one",
    arguments: [
      ("", "x.row:3: Rows is missing in [Backend]; expected the ids of rows"),
      (
        "Rows=",
        "x.row:5: Rows is empty; expected the ids of rows (a to z, 0 to 9 and _, a letter "
          + "first, at most 64 characters)"
      ),
      (
        "Rows=a;B",
        "x.row:5: Rows lists 'B'; expected the ids of rows (a to z, 0 to 9 and _, a "
          + "letter first, at most 64 characters)"
      ),
      ("Rows=a;b;a", "x.row:5: Rows lists 'a' twice; expected each row once"),
      ("Rows=a;x", "x.row:5: Rows lists 'x', the row itself; expected other rows"),
      ("Rows=a\nExclusive=maybe", "x.row:6: Exclusive is 'maybe'; expected true or false"),
    ])
  func groupBadValue(_ keys: String, _ expected: String) {
    #expect(errors(text("Type=group\n\(keys)")) == [expected])
  }
}
