// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import System
import TestSupport
import Testing

/// The time between connect(2) and the bus's first word.
@MainActor
@Suite("connecting to a bus")
struct GreetingTests {
  private let loop: EventLoop
  private let directory: TemporaryDirectory
  private var address: BusAddress { .address("unix:path=\(directory.path("bus"))") }

  init() throws {
    loop = try EventLoop()
    directory = try TemporaryDirectory()
  }

  /// How an attempt ends; `meanwhile` runs once it is under way.
  private func connect(
    _ address: BusAddress, meanwhile: () throws -> Void = {}
  ) throws -> Result<Connection, DBusError> {
    var outcome: Result<Connection, DBusError>?
    let attempt = ConnectionAttempt(address, on: loop) { outcome = $0 }
    #expect(outcome == nil)
    try meanwhile()
    try turn("the attempt never ended") { outcome != nil }
    withExtendedLifetime(attempt) {}
    return try #require(outcome)
  }

  private func turn(_ failure: String, until condition: () throws -> Bool) throws {
    let deadline = EventLoop.now + patience
    while try !condition() {
      guard EventLoop.now < deadline else { throw TestFailure(failure) }
      try loop.turn(atMost: .milliseconds(20))
    }
  }

  private func error(_ outcome: Result<Connection, DBusError>) throws -> DBusError {
    guard case .failure(let error) = outcome else { throw TestFailure("it is connected") }
    return error
  }

  @Test("a bus that greets is connected to, and its connection works in the loop")
  func connected() throws {
    let bus = try PrivateBus()
    let connection = try connect(.address(bus.address)).get()
    #expect(connection.uniqueName.isUnique)
    var identifier: String?
    connection.call(
      destination: .bus, path: .bus, interface: .bus, member: "GetId"
    ) { identifier = try? $0.reading(String.self).get() }
    let deadline = EventLoop.now + patience
    while identifier == nil, EventLoop.now < deadline { try loop.turn(atMost: .seconds(1)) }
    #expect(identifier?.isEmpty == false)
    #expect(try connection.requestName("org.example.Late") == .primaryOwner)
  }

  @Test(
    "a bus that never speaks, or has its backlog full, is waited for no longer than was said",
    arguments: [false, true])
  func silent(isFull: Bool) throws {
    let socket = try BareSocket(directory.path("bus"), isFull: isFull)
    let failure = #expect(throws: DBusError.self) {
      try Connection(address, within: .milliseconds(200))
    }
    #expect(failure == DBusError(.noReply, "it does not answer"))
    withExtendedLifetime(socket) {}
  }

  @Test("a full backlog holds up nobody but the attempt, which goes on once there is room")
  func fullBacklog() throws {
    let socket = try BareSocket(directory.path("bus"), isFull: true)
    let outcome = try connect(address) {
      var isTime = false
      let timer = loop.after(.milliseconds(50)) { isTime = true }
      try turn("the loop is blocked") { isTime }
      withExtendedLifetime(timer) {}
      try socket.drain()
      let peer = try socket.accept()
      try turn("nothing was said") { try peer.read().contains("AUTH") }
    }
    #expect(try error(outcome) == DBusError(.disconnected, "it closed the connection"))
  }

  @Test("an attempt that is dropped while the backlog is full is closed when there is room")
  func droppedAtBacklog() throws {
    let socket = try BareSocket(directory.path("bus"), isFull: true)
    var isTold = false
    var attempt: ConnectionAttempt? = ConnectionAttempt(address, on: loop) { _ in isTold = true }
    #expect(attempt != nil)
    attempt = nil
    try socket.drain()
    let peer = try socket.accept()
    try turn("it is still open") { try peer.isClosed }
    #expect(!isTold)
  }

  @Test("a bus that authenticates and then never speaks is given up when it goes")
  func silentAfterAuthentication() throws {
    let socket = try BareSocket(directory.path("bus"))
    let outcome = try connect(address) {
      let peer = try socket.accept()
      try peer.write("OK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n")
      try turn("it got no Hello") {
        try peer.read().utf8.split(separator: 0).contains { $0.elementsEqual("Hello".utf8) }
      }
    }
    #expect(try error(outcome) == DBusError(.disconnected, "it closed the connection"))
  }

  @Test("a bus that closes the connection is no bus")
  func closing() throws {
    let socket = try BareSocket(directory.path("bus"))
    let outcome = try connect(address) { _ = try socket.accept() }
    #expect(try error(outcome) == DBusError(.disconnected, "it closed the connection"))
  }

  @Test("a bus that speaks something else is no bus", arguments: [10, 100_000])
  func garbage(size: Int) throws {
    let socket = try BareSocket(directory.path("bus"))
    let outcome = try connect(address) {
      try socket.accept().write(String(repeating: "\u{7}", count: size) + "\r\n")
    }
    #expect(try error(outcome).name == .disconnected)
  }

  @Test("where nothing listens it fails at once, and says so")
  func nothing() throws {
    #expect(try error(connect(address)).name == "org.freedesktop.DBus.Error.FileNotFound")
    #expect(try error(connect(.address("unix:nonsense"))).name == .badAddress)
  }

  @Test("an attempt that is dropped ends without a word")
  func dropped() throws {
    let bus = try PrivateBus()
    var isTold = false
    var attempt: ConnectionAttempt? = ConnectionAttempt(.address(bus.address), on: loop) { _ in
      isTold = true
    }
    #expect(attempt != nil)
    attempt = nil
    _ = try connect(.address(bus.address)).get()
    #expect(!isTold)
  }
}
