// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import TestSupport
import Testing

@MainActor
@Suite("Signals")
struct SignalTests {
  let path: ObjectPath = "/org/example/a"
  let interface: InterfaceName = "org.example.Signals1"

  nonisolated struct Sent: Sendable, CustomTestStringConvertible {
    var path: ObjectPath = "/org/example/a"
    var interface: InterfaceName = "org.example.Signals1"
    var member: MemberName = "Happened"
    var argument: String? = "yes"

    var testDescription: String { "\(path) \(interface).\(member) \(argument ?? "-")" }
  }

  nonisolated static let base = MatchRule(
    sender: nil, path: .object("/org/example/a"), interface: "org.example.Signals1",
    member: "Happened",
    firstArgument: "yes")

  @Test(
    "a signal that differs in one thing from the rule is not delivered",
    arguments: [
      Sent(path: "/org/example/ab"), Sent(interface: "org.example.Signals2"),
      Sent(member: "Occurred"), Sent(argument: "no"), Sent(argument: nil),
    ])
  func filtered(sent: Sent) throws {
    let fixture = try Fixture()
    var seen: [String] = []
    // The bus lets everything through because of this rule, so ours has to filter.
    let everything = fixture.client.addMatch(MatchRule(sender: nil)) { message in
      if message.sender != .bus { seen.append("any") }
    }
    let exact = fixture.client.addMatch(Self.base) { _ in seen.append("exact") }
    try fixture.settle()
    for signal in [sent, Sent()] {
      try fixture.service.emit(signal.member, of: signal.interface, at: signal.path) { writer in
        if let argument = signal.argument { writer.append(argument) }
      }
    }
    try fixture.wait(for: "both signals") { seen.count >= 3 }
    try fixture.settle()
    #expect(seen.filter { $0 == "any" }.count == 2)
    #expect(seen.filter { $0 == "exact" }.count == 1)
    everything.cancel()
    exact.cancel()
  }

  @Test(
    "a namespace takes its object and those below, and no other",
    arguments: [
      ("/org/example/a", true), ("/org/example/a/b/c", true), ("/org/example/ab", false),
      ("/org/example", false),
    ])
  func namespace(path: String, isDelivered: Bool) throws {
    let fixture = try Fixture()
    var delivered = false
    var finished = false
    let handle = fixture.client.addMatch(
      MatchRule(sender: nil, path: .namespace("/org/example/a"))
    ) { _ in delivered = true }
    let end = fixture.client.addMatch(MatchRule(sender: nil, path: .object("/end"))) { _ in
      finished = true
    }
    try fixture.settle()
    let path = try #require(ObjectPath(path))
    try fixture.service.emit("Happened", of: interface, at: path)
    try fixture.service.emit("Happened", of: interface, at: "/end")
    try fixture.wait(for: "the end") { finished }
    #expect(delivered == isDelivered)
    handle.cancel()
    end.cancel()
  }

  @Test("the root as a namespace takes everything")
  func rootNamespace() throws {
    let fixture = try Fixture()
    var seen = 0
    let handle = fixture.client.addMatch(
      MatchRule(sender: nil, path: .namespace(.root), interface: "org.example.Signals1")
    ) { _ in seen += 1 }
    var refused = false
    fixture.client.onNotice = { _ in refused = true }
    try fixture.settle()
    try fixture.service.emit("Happened", of: interface, at: path)
    try fixture.wait(for: "the signal") { seen == 1 }
    #expect(!refused)
    handle.cancel()
  }

  @Test("a rule for a well-known sender takes its owner's signals, and nobody else's")
  func wellKnownSender() throws {
    let fixture = try Fixture()
    let name: BusName = "org.example.Sender"
    let other = try Connection(.address(fixture.bus.address))
    try other.attach(to: fixture.loop)
    _ = try fixture.service.requestName(name, [.allowReplacement])
    var seen: [String] = []
    let handle = fixture.client.addMatch(MatchRule(sender: name, member: "Happened")) { message in
      seen.append((try? message.read(String.self)) ?? "?")
    }
    try fixture.settle()
    // A unicast signal needs no rule to get through.
    try other.emit("Happened", of: interface, at: path, to: fixture.client.uniqueName) {
      $0.append("forged")
    }
    try fixture.service.emit("Happened", of: interface, at: path) { $0.append("first owner") }
    try fixture.wait(for: "the first") { seen.count == 1 }
    _ = try other.requestName(name, [.replaceExisting])
    try other.emit("Happened", of: interface, at: path) { $0.append("second owner") }
    try fixture.wait(for: "the second") { seen.count == 2 }
    try fixture.service.emit("Happened", of: interface, at: path, to: fixture.client.uniqueName) {
      $0.append("no longer")
    }
    try fixture.settle()
    #expect(seen == ["first owner", "second owner"])
    handle.cancel()
  }

  @Test("the bus is told a rule once, however many share it, and again when the last goes")
  func sharedRule() throws {
    // A system bus takes 512 rules.
    let fixture = try Fixture(.system)
    var refused = 0
    fixture.client.onNotice = { _ in refused += 1 }
    var seen = 0
    let rule = MatchRule(sender: nil, member: "Happened")
    var handles: [MatchHandle] = []
    for _ in 0..<1000 {
      handles.append(fixture.client.addMatch(rule) { _ in seen += 1 })
    }
    try fixture.settle()
    #expect(refused == 0)
    try fixture.service.emit("Happened", of: interface, at: path)
    try fixture.wait(for: "every handler") { seen == 1000 }
    handles = []
    try fixture.service.emit("Happened", of: interface, at: path)
    try fixture.settle()
    #expect(seen == 1000)
  }

  @Test("a rule that the bus refuses is told to the owner of the connection")
  func refusedRule() throws {
    let fixture = try Fixture(.system)
    var refused: [String] = []
    fixture.client.onNotice = { notice in
      if case .matchRefused(let rule, let error) = notice {
        refused.append("\(rule.member?.rawValue ?? "") \(error.name)")
      }
    }
    var handles: [MatchHandle] = []
    for number in 0...512 {
      let member = try #require(MemberName("Happened\(number)"))
      handles.append(fixture.client.addMatch(MatchRule(sender: nil, member: member)) { _ in })
    }
    try fixture.wait(for: "the refusal") { !refused.isEmpty }
    #expect(refused == ["Happened512 org.freedesktop.DBus.Error.LimitsExceeded"])
    handles = []
    try fixture.settle()
  }

  @Test("a handler may end its own subscription and those that come after it")
  func endInHandler() throws {
    let fixture = try Fixture()
    var seen: [String] = []
    var second: MatchHandle?
    var first: MatchHandle?
    first = fixture.client.addMatch(MatchRule(sender: nil, member: "Happened")) { _ in
      seen.append("first")
      first = nil
      second?.cancel()
    }
    second = fixture.client.addMatch(MatchRule(sender: nil, member: "Happened")) { _ in
      seen.append("second")
    }
    try fixture.settle()
    try fixture.service.emit("Happened", of: interface, at: path)
    try fixture.service.emit("Happened", of: interface, at: path)
    try fixture.settle()
    #expect(seen == ["first"])
    #expect(first == nil)
  }

  @Test("a quote in an argument's rule reaches the bus unharmed")
  func quotedArgument() throws {
    let fixture = try Fixture()
    let argument = "it's 'quoted' \\ and, comma"
    var seen = 0
    var refused = 0
    fixture.client.onNotice = { _ in refused += 1 }
    let handle = fixture.client.addMatch(
      MatchRule(sender: nil, member: "Happened", firstArgument: argument)
    ) { _ in seen += 1 }
    try fixture.settle()
    try fixture.service.emit("Happened", of: interface, at: path) { $0.append(argument) }
    try fixture.wait(for: "the signal") { seen == 1 }
    #expect(refused == 0)
    handle.cancel()
  }

  @Test("a rule for the first argument's path takes that object's signals alone")
  func firstArgumentPath() throws {
    let fixture = try Fixture()
    let one: ObjectPath = "/one"
    let other: ObjectPath = "/other"
    var seen: [String?] = []
    let handle = fixture.client.addMatch(
      MatchRule(sender: nil, interface: interface, firstArgumentPath: one)
    ) { seen.append($0.member?.rawValue) }
    try fixture.settle()
    try fixture.service.emit("Text", of: interface, at: path) { $0.append(one.rawValue) }
    try fixture.service.emit("Other", of: interface, at: path) { other.write(to: &$0) }
    try fixture.service.emit("One", of: interface, at: path) { one.write(to: &$0) }
    try fixture.wait(for: "the signal") { !seen.isEmpty }
    #expect(seen == ["One"])
    handle.cancel()
  }

  @Test("a signal with a body that cannot be sent throws and sends nothing")
  func unsendable() throws {
    let fixture = try Fixture()
    #expect(throws: DBusError.self) {
      try fixture.service.emit("Happened", of: interface, at: path) {
        $0.append(Value.structure([]))
      }
    }
    try fixture.settle()
  }
}
