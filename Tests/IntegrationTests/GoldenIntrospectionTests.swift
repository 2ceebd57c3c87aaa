// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import System
import TestSupport
import Testing

@MainActor
@Suite("Golden introspection", .serialized)
struct GoldenIntrospectionTests {
  private nonisolated static let paths: [(String, ObjectPath)] = [
    ("node-root", "/"), ("node-org", "/org"), ("node-freedesktop", "/org/freedesktop"),
    ("logcontrol", "/org/freedesktop/LogControl1"), ("toggled", "/org/toggled"),
    ("node-rows", "/org/toggled/rows"), ("node-sections", "/org/toggled/sections"),
    ("row", "/org/toggled/rows/lamp"), ("section", "/org/toggled/sections/home"),
  ]

  private func stage() throws -> Stage {
    try Stage.serving([
      "lamp.row": RowText.stored("Lamp", "Section=home"), "fan.row": RowText.stored("Fan"),
      "heat.row": RowText.stored("Heat", "Section=home"),
      "home.section": "[Section]\nTitle=Home\n",
    ])
  }

  @Test("each kind of object describes itself as it always has", arguments: paths.indices)
  func text(_ index: Int) throws {
    let (name, path) = Self.paths[index]
    let peer = try Peer(try stage())
    let values = try peer.call("Introspect", of: .introspectable, at: path)
    try Golden.expect(try #require(values.first?.asString), is: "introspection-\(name).xml")
  }

  @Test("every interface has the members of the contract, and no other")
  func members() throws {
    let stage = try stage()
    let outcome = try Program.run(
      [Python.path, Scripts.path("describe.py"), stage.bus.address]
        + Self.paths.map(\.1.rawValue))
    #expect(outcome.error == "")
    let found = outcome.output.split(separator: "\n").map(String.init)
    #expect(found == Contract.members, "\(stage.log)")
  }

  @Test("every property's value has the type that is declared")
  func valueTypes() throws {
    let peer = try Peer(try stage())
    let objects: [(InterfaceName, ObjectPath)] = [
      (.row, .row("lamp")), (.section, .section("home")), (.manager, .toggled),
      (.switches, .toggled), (.logControl, .logControl),
    ]
    for (interface, path) in objects {
      let properties = try peer.getAll(interface, at: path)
      let found = properties.map { "\(interface) property \($0.key) \($0.value.type.code)" }
      let expected = Contract.members.filter { $0.hasPrefix("\(interface) property ") }
        .map { $0.split(separator: " ").prefix(4).joined(separator: " ") }
      #expect(found.sorted() == expected.sorted())
    }
  }

  @Test("GetManagedObjects lists the rows and sections, each with all its properties")
  func managedObjects() throws {
    let peer = try Peer(try stage())
    let values = try peer.call("GetManagedObjects", of: .objectManager, at: .toggled)
    #expect(values.map(\.type.code) == ["a{oa{sa{sv}}}"])
    guard case .dictionary(_, _, let objects)? = values.first else { return }
    var found: [String: [String]] = [:]
    for object in objects {
      guard case .dictionary(_, _, let interfaces) = object.value else { continue }
      for interface in interfaces {
        guard case .dictionary(_, _, let properties) = interface.value else { continue }
        let path = object.key.asString ?? ""
        found["\(path) \(interface.key.asString ?? "")"] = properties.compactMap(\.key.asString)
      }
    }
    func names(_ interface: String) -> [String] {
      Contract.members.filter { $0.hasPrefix("\(interface) property ") }
        .map { String($0.split(separator: " ")[2]) }.sorted()
    }
    let expected = [
      "/org/toggled/rows/fan org.toggled.Row1": names("org.toggled.Row1"),
      "/org/toggled/rows/heat org.toggled.Row1": names("org.toggled.Row1"),
      "/org/toggled/rows/lamp org.toggled.Row1": names("org.toggled.Row1"),
      "/org/toggled/sections/home org.toggled.Section1": names("org.toggled.Section1"),
      "/org/toggled/sections/other org.toggled.Section1": names("org.toggled.Section1"),
    ]
    #expect(found.mapValues { $0.sorted() } == expected)
  }

  @Test("the values of a row are those of its file", arguments: ["lamp"])
  func values(_ id: String) throws {
    let stage = try Stage.serving([
      "lamp.row": """
      [Row]
      Title=Lamp
      Title[es]=Lámpara
      Subtitle=On the desk
      Subtitle[es]=En la mesa
      Keywords=light;desk;
      Keywords[es]=luz;
      Section=home
      Order=-5
      Symbol=lamp-symbolic
      OnSymbol=lamp-on-symbolic
      OffSymbol=lamp-off-symbolic
      IconColor=yellow
      SwitchColor=#123456
      Style=checkbox
      Default=on
      Locked=true
      [Backend]
      Type=stored

      """,
      "home.section": """
      [Section]
      Title=Home
      Title[es]=Casa
      Footer=All of it
      Order=7

      """,
    ])
    let peer = try Peer(stage)
    let objects: [(InterfaceName, ObjectPath)] = [
      (.row, .row(id)), (.section, .section("home")), (.switches, .toggled), (.manager, .toggled),
      (.logControl, .logControl),
    ]
    let lines = try objects.flatMap { interface, path in
      try peer.getAll(interface, at: path).sorted { $0.key < $1.key }
        .map { "\(interface) \($0.key) = \($0.value.inOrder.text)" }
    }
    .filter { !$0.hasPrefix("org.toggled.Manager1 Version ") }
    try Golden.expect(lines.joined(separator: "\n") + "\n", is: "values.txt")
  }
}

extension Value {
  /// The same with the entries of a dictionary of strings sorted: the wire has no order for them.
  fileprivate var inOrder: Value {
    guard case .dictionary(let key, let value, let entries) = self else { return self }
    let sorted = entries.sorted { ($0.key.asString ?? "") < ($1.key.asString ?? "") }
    return .dictionary(key: key, value: value, entries: sorted)
  }
}
