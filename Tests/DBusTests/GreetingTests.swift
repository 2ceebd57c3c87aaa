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
    _ address: BusAddress, within limit: Duration = patience, meanwhile: () throws -> Void = {}
  ) throws -> Result<Connection, DBusError> {
    var outcome: Result<Connection, DBusError>?
    let attempt = ConnectionAttempt(address, on: loop, within: limit) { outcome = $0 }
    #expect(outcome == nil)
    try meanwhile()
    let deadline = EventLoop.now + patience
    while outcome == nil {
      guard EventLoop.now < deadline else { throw TestFailure("the attempt never ended") }
      try loop.turn(atMost: .seconds(1))
    }
    withExtendedLifetime(attempt) {}
    return try #require(outcome)
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

  @Test("a bus that takes the connection and never speaks is given up, and nobody waits for it")
  func silent() throws {
    let socket = try BareSocket(directory.path("bus"))
    let outcome = try connect(.address(socket.address), within: .milliseconds(200))
    #expect(try error(outcome) == DBusError(.noReply, "it does not answer"))
    let failure = #expect(throws: DBusError.self) {
      try Connection(.address(socket.address), within: .milliseconds(200))
    }
    #expect(failure == DBusError(.noReply, "it does not answer"))
  }

  @Test("a bus that authenticates and then never speaks is given up")
  func silentAfterAuthentication() throws {
    let socket = try BareSocket(directory.path("bus"))
    var peer: BareSocket.Peer?
    let outcome = try connect(address, within: .milliseconds(500)) {
      peer = try socket.accept()
      try peer?.write("OK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n")
    }
    #expect(try error(outcome).name == .noReply)
    // It got as far as Hello.
    let said = try #require(try peer?.read())
    #expect(said.utf8.split(separator: 0).contains { $0.elementsEqual("Hello".utf8) })
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
    var peer: BareSocket.Peer?
    let outcome = try connect(address, within: .milliseconds(500)) {
      peer = try socket.accept()
      try peer?.write(String(repeating: "\u{7}", count: size) + "\r\n")
    }
    #expect(peer != nil)
    #expect([.disconnected, .noReply].contains(try error(outcome).name))
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
