// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import TestSupport
import Testing

@MainActor
@Suite("Calls")
struct CallTests {
  let lampPath: ObjectPath = "/org/example/lamp"
  let lampInterface: InterfaceName = "org.example.Lamp1"

  @Test("a typed method gets its arguments and its results go back")
  func typedMethod() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp(), at: lampPath)
    let sum = try fixture.call(at: lampPath, of: lampInterface, "Add") {
      Int32(40).write(to: &$0)
      Int32(2).write(to: &$0)
    }
    #expect(sum.text == "42")
    let split = try fixture.call(at: lampPath, of: lampInterface, "Split") { $0.append("a b c") }
    #expect(split.text == "'a' ['b', 'c']")
    let nothing = try fixture.call(at: lampPath, of: lampInterface, "Reset")
    #expect(nothing.text == "")
    let structures = try fixture.call(at: lampPath, of: lampInterface, "Errors")
    #expect(structures.text == "[('a.row', uint32 1, 'bad'), ('b.row', 2, 'worse')]")
  }

  @Test("what a handler throws is the error that the caller gets")
  func thrownError() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp(), at: lampPath)
    let overflow = try fixture.call(at: lampPath, of: lampInterface, "Add") {
      Int32.max.write(to: &$0)
      Int32(1).write(to: &$0)
    }
    #expect(overflow.errorName == .invalidArgs)
    let refused = try fixture.call(at: lampPath, of: lampInterface, "Refuse")
    #expect(refused.text == "org.example.Error.Refused: no")
  }

  @Test("a call that names no interface reaches the method of that name")
  func callWithoutInterface() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp(), at: lampPath)
    let split = try fixture.call(at: lampPath, of: nil, "Split") { $0.append("x") }
    #expect(split.text == "'x' @as []")
    let introspection = try fixture.call(at: lampPath, of: nil, "Introspect")
    #expect(introspection.errorName == nil)
    let unknown = try fixture.call(at: lampPath, of: nil, "Nothing")
    #expect(unknown.errorName == .unknownMethod)
  }

  @Test("a call to what does not exist gets the error that says what is missing")
  func unknownThings() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp(), at: lampPath)
    let object = try fixture.call(at: "/nowhere", of: lampInterface, "Reset")
    #expect(object.errorName == .unknownObject)
    let interface = try fixture.call(at: lampPath, of: "org.example.Other1", "Reset")
    #expect(interface.errorName == .unknownInterface)
    let method = try fixture.call(at: lampPath, of: lampInterface, "Explode")
    #expect(method.errorName == .unknownMethod)
    let intermediate = try fixture.call(at: "/org", of: lampInterface, "Reset")
    #expect(intermediate.errorName == .unknownInterface)
    let introspectable = try fixture.call(at: lampPath, of: .introspectable, "Explode")
    #expect(introspectable.errorName == .unknownMethod)
  }

  @Test("arguments of the wrong types are refused with both signatures in the message")
  func wrongArguments() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp(), at: lampPath)
    let result = try fixture.call(at: lampPath, of: lampInterface, "Add") { $0.append("one") }
    #expect(
      result.text
        == "org.freedesktop.DBus.Error.InvalidArgs: Add takes arguments of types 'ii', found 's'")
  }

  @Test("Ping and GetMachineId are answered on any path")
  func peer() throws {
    let fixture = try Fixture()
    _ = ObjectTree(fixture.service)
    let ping = try fixture.call(at: "/any/path", of: .peer, "Ping")
    #expect(ping.text == "")
    let machine = try fixture.call(at: "/", of: .peer, "GetMachineId")
    #expect(machine.errorName != .unknownMethod)
  }

  @Test("an invocation that is kept is answered later, once")
  func deferredAnswer() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    tree.publish(lamp, at: lampPath)
    var results: [CallResult] = []
    fixture.client.call(
      destination: fixture.service.uniqueName, path: lampPath, interface: lampInterface,
      member: "SetOn", body: { true.write(to: &$0) }
    ) { results.append($0) }
    try fixture.wait(for: "the call") { !lamp.kept.isEmpty }
    try fixture.settle()
    #expect(results.isEmpty)
    let invocation = try #require(lamp.kept.first)
    #expect(invocation.sender == fixture.client.uniqueName)
    #expect(!invocation.isAnswered)
    invocation.reply(true)
    invocation.reply(false)
    invocation.fail(.failed("too late"))
    try fixture.settle()
    #expect(results.map(\.text) == ["true"])
  }

  @Test("an invocation that is dropped is answered with Failed, and the owner hears of it")
  func droppedInvocation() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    tree.publish(lamp, at: lampPath)
    var dropped: [String] = []
    fixture.service.onNotice = { notice in
      if case .callDropped(let path, let member) = notice { dropped.append("\(path) \(member)") }
    }
    var result: CallResult?
    fixture.client.call(
      destination: fixture.service.uniqueName, path: lampPath, interface: lampInterface,
      member: "SetOn", body: { true.write(to: &$0) }
    ) { result = $0 }
    try fixture.wait(for: "the call") { !lamp.kept.isEmpty }
    lamp.kept = []
    try fixture.wait(for: "the answer") { result != nil }
    #expect(result?.errorName == .failed)
    #expect(dropped == ["/org/example/lamp SetOn"])
  }

  @Test("a call that wants no reply gets none, whether it succeeds, fails or is unknown")
  func noReply() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    lamp.level = 3
    tree.publish(lamp, at: lampPath)
    for member: MemberName in ["Reset", "Refuse", "Explode"] {
      try fixture.client.callWithoutReply(
        destination: fixture.service.uniqueName, path: lampPath, interface: lampInterface,
        member: member)
    }
    try fixture.wait(for: "the reset") { lamp.level == 0 }
    try fixture.settle()
  }

  @Test("the flag for interactive authorisation arrives only when the caller set it")
  func interactiveAuthorization() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    tree.publish(lamp, at: lampPath)
    for options: CallOptions in [[], .allowInteractiveAuthorization] {
      fixture.client.call(
        destination: fixture.service.uniqueName, path: lampPath, interface: lampInterface,
        member: "SetOn", options: options, body: { true.write(to: &$0) }
      ) { _ in }
    }
    try fixture.wait(for: "both calls") { lamp.kept.count == 2 }
    #expect(lamp.kept.map(\.allowsInteractiveAuthorization) == [false, true])
  }

  @Test("a call ends with NoReply after its time-out")
  func timeout() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    tree.publish(lamp, at: lampPath)
    let result = try fixture.call(
      at: lampPath, of: lampInterface, "SetOn", timeout: .milliseconds(20)
    ) { true.write(to: &$0) }
    #expect(result.errorName == .noReply)
    // The late answer reaches nobody.
    lamp.kept = []
    try fixture.settle()
  }

  @Test("a cancelled call never runs its completion")
  func cancel() throws {
    let fixture = try Fixture()
    var completed = false
    let call = fixture.client.call(
      destination: .bus, path: .bus, interface: .bus, member: "GetId"
    ) { _ in completed = true }
    #expect(call.isPending)
    call.cancel()
    call.cancel()
    try fixture.settle()
    #expect(!completed)
    #expect(!call.isPending)
  }

  @Test("a call to a name without an owner fails, and NoAutoStart does not start one")
  func absentService() throws {
    let fixture = try Fixture()
    try fixture.bus.addService("org.example.Absent", command: "/bin/false")
    let started = try fixture.call(
      to: "org.example.Nobody", at: "/", of: .peer, "Ping")
    #expect(started.errorName == .serviceUnknown)
    let notStarted = try fixture.call(
      to: "org.example.Absent", at: "/", of: .peer, "Ping", options: .noAutoStart)
    #expect(notStarted.errorName == .nameHasNoOwner || notStarted.errorName == .serviceUnknown)
  }

  @Test("a body that cannot be sent ends the call with InvalidArgs and the connection lives")
  func unsendableBody() throws {
    let fixture = try Fixture()
    let bad = Value.array(of: .string, [.int32(1)])
    let result = try fixture.call(to: .bus, at: .bus, of: .bus, "GetId") { $0.append(bad) }
    #expect(result.errorName == .invalidArgs)
    #expect(fixture.client.isConnected)
  }

  @Test("a body past the size limit ends the call with LimitsExceeded and the connection lives")
  func oversizedBody() throws {
    let fixture = try Fixture()
    let text = String(repeating: "x", count: 33 * 1024 * 1024)
    let result = try fixture.call(to: .bus, at: .bus, of: .bus, "GetId") { $0.append(text) }
    #expect(result.errorName == .limitsExceeded)
    try fixture.settle()
  }

  @Test("a lost bus ends every call with Disconnected and is told once")
  func lostBus() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    let lamp = Lamp()
    tree.publish(lamp, at: lampPath)
    var results: [CallResult] = []
    var losses = 0
    fixture.client.onDisconnect = { losses += 1 }
    for timeout: Duration? in [nil, .seconds(25)] {
      fixture.client.call(
        destination: fixture.service.uniqueName, path: lampPath, interface: lampInterface,
        member: "SetOn", timeout: timeout, body: { true.write(to: &$0) }
      ) { results.append($0) }
    }
    try fixture.wait(for: "the calls") { lamp.kept.count == 2 }
    try fixture.bus.stop()
    try fixture.wait(for: "the loss") { losses > 0 && results.count == 2 }
    #expect(results.map(\.errorName) == [.disconnected, .disconnected])
    #expect(!fixture.client.isConnected)
    let late = try fixture.call(to: .bus, at: .bus, of: .bus, "GetId")
    #expect(late.errorName == .disconnected)
    #expect(throws: DBusError(.disconnected, "the connection to the bus is closed")) {
      try fixture.client.callAndWait(
        destination: .bus, path: .bus, interface: .bus, member: "GetId")
    }
    #expect(losses == 1)
  }

  @Test("closing ends calls that wait, and is no loss")
  func close() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp(), at: lampPath)
    var results: [CallResult] = []
    var losses = 0
    fixture.client.onDisconnect = { losses += 1 }
    fixture.client.call(
      destination: fixture.service.uniqueName, path: lampPath, interface: lampInterface,
      member: "SetOn", body: { true.write(to: &$0) }
    ) { results.append($0) }
    fixture.client.close()
    fixture.client.close()
    #expect(results.map(\.errorName) == [.disconnected])
    #expect(losses == 0)
    #expect(!fixture.client.isConnected)
  }

  @Test("a handler may close the connection it was called by")
  func closeInHandler() throws {
    let fixture = try Fixture()
    var results: [CallResult] = []
    for _ in 0..<3 {
      fixture.client.call(destination: .bus, path: .bus, interface: .bus, member: "GetId") {
        results.append($0)
        fixture.client.close()
      }
    }
    try fixture.wait(for: "three ends") { results.count == 3 }
    #expect(!fixture.client.isConnected)
  }

  @Test("a value as deep as a message may be passes the bus, and a deeper one never leaves")
  func nesting() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp(), at: lampPath)
    func nested(_ depth: Int) -> Value {
      (0..<depth).reduce(Value.byte(0)) { value, _ in .variant(value) }
    }
    let deepest = try fixture.call(at: lampPath, of: lampInterface, "Add") {
      $0.append(nested(64))
    }
    #expect(
      deepest.text
        == "org.freedesktop.DBus.Error.InvalidArgs: Add takes arguments of types 'ii', found 'v'")
    let deeper = try fixture.call(at: lampPath, of: lampInterface, "Add") { writer in
      writer.appendArray(of: "v") { $0.append(nested(64)) }
    }
    #expect(
      deeper.text == "org.freedesktop.DBus.Error.InvalidArgs: containers nest deeper than 64")
    try fixture.settle()
  }

  @Test("a handler may drop the connection it was called by")
  func dropInHandler() throws {
    let fixture = try Fixture()
    var connection: Connection? = try Connection(.address(fixture.bus.address))
    try connection?.attach(to: fixture.loop)
    var answers = 0
    weak let dropped = connection
    for _ in 0..<3 {
      dropped?.call(destination: .bus, path: .bus, interface: .bus, member: "GetId") { _ in
        answers += 1
        connection = nil
      }
    }
    try fixture.wait(for: "the drop") { dropped == nil }
    try fixture.settle()
    #expect(connection == nil)
    #expect(answers >= 1)
  }

  @Test("dropping a connection drops its calls")
  func dropConnection() throws {
    let fixture = try Fixture()
    var completed = false
    var connection: Connection? = try Connection(.address(fixture.bus.address))
    try connection?.attach(to: fixture.loop)
    connection?.call(
      destination: .bus, path: .bus, interface: .bus, member: "GetId"
    ) { _ in completed = true }
    weak let dropped = connection
    connection = nil
    #expect(dropped == nil)
    try fixture.settle()
    #expect(!completed)
  }

  @Test("a blocking call works without a loop and leaves other messages for it")
  func blockingCall() throws {
    let bus = try PrivateBus()
    let connection = try Connection(.address(bus.address))
    let reply = try connection.callAndWait(
      destination: .bus, path: .bus, interface: .bus, member: "GetNameOwner",
      body: { $0.append("org.freedesktop.DBus") })
    #expect(try reply.read(String.self) == "org.freedesktop.DBus")
    #expect(throws: DBusError.self) {
      try connection.callAndWait(
        destination: .bus, path: .bus, interface: .bus, member: "GetNameOwner",
        body: { $0.append("org.example.Nobody") })
    }
    var signals = 0
    let handle = connection.addMatch(MatchRule(sender: nil, member: "NameOwnerChanged")) { _ in
      signals += 1
    }
    _ = try connection.requestName("org.example.Name")
    let loop = try EventLoop()
    try connection.attach(to: loop)
    let deadline = EventLoop.now + patience
    while signals == 0, EventLoop.now < deadline {
      try loop.turn(atMost: .seconds(1))
    }
    #expect(signals > 0)
    handle.cancel()
  }

  @Test("thousands of calls at once are all answered", arguments: [5000])
  func flood(count: Int) throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    tree.publish(Lamp(), at: lampPath)
    var answers = 0
    for number in 0..<count {
      fixture.client.call(
        destination: fixture.service.uniqueName, path: lampPath, interface: lampInterface,
        member: "Add", timeout: patience,
        body: {
          Int32(number).write(to: &$0)
          Int32(1).write(to: &$0)
        },
        completion: { result in
          if result.text == "\(number + 1)" { answers += 1 }
        })
    }
    try fixture.wait(for: "all answers") { answers == count }
  }

  @Test(
    "an address that leads nowhere is an error",
    arguments: ["", "nonsense", "unix:path=/nowhere/bus", "autolaunch:", "unix:path=/a\u{0}b"])
  func badAddress(address: String) {
    #expect(throws: DBusError.self) { try Connection(.address(address)) }
  }
}
