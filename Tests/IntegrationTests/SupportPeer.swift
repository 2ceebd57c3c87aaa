// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import TestSupport
import Testing

/// Where a daemon serves its rows.
@MainActor
protocol Venue: AnyObject {
  /// The address of the daemon's bus.
  var address: String { get }
  var daemon: Program? { get }
  /// All that was logged there, for the message of a failure.
  var log: String { get }
}

/// A client of the daemon: it calls, and keeps a journal of what comes back, in its order.
@MainActor
final class Peer {
  /// A call that was sent; its outcome comes while the peer waits.
  @MainActor
  final class Call {
    fileprivate(set) var outcome: Result<[Value], DBusError>?
  }

  let connection: Connection
  private let venue: any Venue
  private let loop: EventLoop
  private var match: MatchHandle?
  /// Each signal of the daemon, each answer to a call; see `Journal`.
  private(set) var journal: [String] = []

  /// Connects to the daemon's bus, and listens to everything below `/org/toggled`.
  init(_ venue: any Venue) throws {
    self.venue = venue
    loop = try EventLoop()
    connection = try Connection(.address(venue.address))
    try connection.attach(to: loop)
    match = connection.addMatch(MatchRule(sender: nil, path: .namespace("/org/toggled"))) {
      [unowned self] message in journal.append(Journal.line(message))
    }
    // The bus has taken the match rule once it has answered something later, and the daemon has
    // read what it reads at its start.
    try call("GetId", of: .bus, at: "/org/freedesktop/DBus", to: .bus)
    if venue.daemon != nil { try settle() }
    journal = []
  }

  /// Sends a call; the answer is noted in the journal under `label`.
  func send(
    _ member: MemberName, of interface: InterfaceName, at path: ObjectPath,
    _ arguments: [Value] = [],
    to destination: BusName = "org.toggled", options: CallOptions = [], label: String? = nil
  ) -> Call {
    let call = Call()
    connection.call(
      destination: destination, path: path, interface: interface, member: member,
      options: options,
      body: { writer in for argument in arguments { writer.append(argument) } },
      completion: { [weak self] result in
        let outcome = result.flatMap { message in
          Result { () throws(DBusError) in try message.values() }
        }
        self?.journal.append(Journal.line(label ?? member.rawValue, outcome))
        call.outcome = outcome
      })
    return call
  }

  /// Calls, and waits for the answer.
  @discardableResult
  func call(
    _ member: MemberName, of interface: InterfaceName, at path: ObjectPath,
    _ arguments: [Value] = [],
    to destination: BusName = "org.toggled", options: CallOptions = []
  ) throws -> [Value] {
    try wait(
      for: send(member, of: interface, at: path, arguments, to: destination, options: options))
  }

  /// Waits for the answer to a call.
  @discardableResult
  func wait(for call: Call) throws -> [Value] {
    try wait("an answer") { call.outcome != nil }
    guard let outcome = call.outcome else { throw TestFailure("there is no answer") }
    return try outcome.get()
  }

  /// The error that the call ends with.
  func error(of call: Call) throws -> DBusError {
    do {
      let values = try wait(for: call)
      throw TestFailure("expected an error, and the answer is \(values)\n\(venue.log)")
    } catch let error as DBusError {
      return error
    }
  }

  // MARK: Waiting

  /// Lets messages come until `condition` holds.
  func wait(_ what: String, until condition: () -> Bool) throws {
    let end = EventLoop.now + patience
    while !condition() {
      guard EventLoop.now < end else {
        throw TestFailure(
          """
          waited for \(what) in vain; what came:
          \(journal.joined(separator: "\n"))
          --- the daemon's log
          \(venue.log)
          """)
      }
      try loop.turn(atMost: .milliseconds(500))
    }
  }

  /// Waits until somebody owns the daemon's name.
  func waitForDaemon() throws {
    var owner: BusName?
    let watch = connection.watchName("org.toggled") { owner = $0 }
    defer { withExtendedLifetime(watch) {} }
    try wait("the daemon") { owner != nil }
  }

  /// Waits until the journal has this line.
  func wait(for line: String) throws {
    try wait(line) { journal.contains(line) }
  }

  /// Waits until the journal has a line that matches.
  func wait(where matches: (String) -> Bool) throws {
    try wait("a line of the journal") { journal.contains(where: matches) }
  }

  /// Has a row read until it is in this state: one with little time gives up on a reading where
  /// the machine is slow.
  func read(_ id: String, until wanted: String) throws {
    let end = EventLoop.now + patience
    while try state(id) != wanted {
      guard EventLoop.now < end else {
        throw TestFailure("\(id) should be read as \(wanted) and is \(try state(id))\n\(venue.log)")
      }
      try call("Refresh", of: .row, at: .row(id))
    }
  }

  /// Two round trips: what the daemon had to say before them, or at the end of the turn in which
  /// it answered the first, has arrived.
  func settle() throws {
    for _ in 0..<2 {
      let call = Call()
      connection.call(
        destination: "org.toggled", path: "/org/toggled", interface: .properties, member: "GetAll",
        body: { $0.append("org.toggled.Manager1") },
        completion: { _ in call.outcome = .success([]) })
      try wait("a round trip") { call.outcome != nil }
    }
  }

  /// Goes on with an empty journal.
  func forgetJournal() { journal = [] }

  /// What the journal holds, to go on with an empty one.
  func takeJournal() throws -> [String] {
    try settle()
    defer { journal = [] }
    return journal
  }

  /// Compares what came since the journal was last taken, but for the answers to reads.
  func expectJournal(
    _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try takeJournal().filter { !$0.hasPrefix("Get") }
    #expect(found == expected, "\(venue.log)", sourceLocation: sourceLocation)
  }
}

/// A service that takes its name and then never reads a message.
@MainActor
final class MuteService {
  private let connection: Connection

  init(on stage: Stage) throws {
    connection = try Connection(.address(stage.bus.address))
    _ = try connection.requestName("org.example.Mute")
  }
}

extension SceneService {
  /// A service in the place of a `MuteService` that is off, and keeps each flip waiting until
  /// `release()`.
  @MainActor
  static func holding(on stage: Stage) throws -> SceneService {
    try SceneService(
      stage.address,
      ["property / org.example.Mute On b false", "answer Set hold", "own org.example.Mute"])
  }

  /// Carries out what it has kept waiting, and what comes.
  func release() throws {
    try tell("answer Set normal", "free")
  }
}
