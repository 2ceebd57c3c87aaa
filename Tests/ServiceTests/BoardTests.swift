// SPDX-License-Identifier: MIT

import DBus
import EventLoop
import Settings
import System
import TestSupport
import Testing

@testable import Backends
@testable import Service

@MainActor
@Suite("The board", .serialized)
struct BoardTests {
  /// A board on a bus of its own, with two rows that keep their values themselves, of which one at
  /// a time is to be on.
  @MainActor
  private final class Stage {
    let loop: EventLoop
    let bus: PrivateBus
    let directory: TemporaryDirectory
    let connection: Connection
    let tree: ObjectTree
    let board: Board

    init() throws {
      loop = try EventLoop()
      bus = try PrivateBus()
      directory = try TemporaryDirectory()
      connection = try Connection(.address(bus.address))
      try connection.attach(to: loop)
      tree = ObjectTree(connection)
      let log = Log(level: .error)
      let values = StoredValues(
        directory: directory.path, writer: DurableWriter(loop: loop), notice: { _ in })
      let buses = Buses(.session, connection: connection, loop: loop, log: log)
      let policy = Policy(.session, connection: connection, link: buses.link(to: .system))
      let clients = ClientRequests(policy: policy, log: log)
      board = Board(
        tree: tree, loop: loop, log: log, locale: .untranslated,
        factory: BackendFactory(
          loop: loop, log: log, owners: nil, values: values, buses: buses,
          runner: ProgramRunner(loop: loop),
          radios: RfkillDevice("/dev/rfkill", loop: loop)),
        clients: clients, switches: SwitchesObject(clients: clients))
      let layer = CatalogueLayer("/rows")
      board.apply(Catalogue.load(layers: [layer], scope: .session, from: TwoRows()))
      board.start()
    }
  }

  /// A file source with the rows `lamp` and `fan`, and their group `either`.
  private struct TwoRows: FileSource {
    func list(_ directory: String) -> DirectoryContent {
      .names(["lamp.row", "fan.row", "either.row"])
    }
    func read(_ path: String) -> FileContent {
      let backend =
        path == "/rows/either.row"
        ? "Type=group\nRows=lamp;fan\nExclusive=true" : "Type=stored"
      return .bytes(Array("[Row]\nTitle=Row\n[Backend]\n\(backend)\n".utf8))
    }
    func hasProgram(_ program: String) -> Bool { true }
  }

  @Test("turns no row with another that the caller was not allowed")
  func member() throws {
    let stage = try Stage()
    let id = try #require(RowID("lamp"))
    let lamp = try #require(stage.board.rows[id])
    var origin = Origin(.client)
    var results: [Result<Void, FlipError>] = []
    for actions in [[:], [lamp.id: [PolkitAction.flip]]] as [[RowID: Set<String>]] {
      origin.actions = actions
      lamp.flip(true, for: origin) { results.append($0) }
    }
    let deadline = EventLoop.now + patience
    while results.count < 2, EventLoop.now < deadline { try stage.loop.turn(atMost: .seconds(1)) }
    #expect(results.count == 2)
    #expect(
      results.first.map {
        if case .failure(let error) = $0 { error.kind == .accessDenied } else { false }
      } == true)
    #expect(results.last.map { if case .success = $0 { true } else { false } } == true)
  }

  @Test("turns a rival off that has come on, though that was not announced yet")
  func unannounced() throws {
    let stage = try Stage()
    let lamp = try #require(RowID("lamp").flatMap { stage.board.rows[$0] })
    let fan = try #require(RowID("fan").flatMap { stage.board.rows[$0] })
    // What is found first was announced a moment ago, and so this waits.
    try stage.directory.write("on\n", to: "fan")
    fan.readAfresh()
    #expect(fan.latestReading == .on)
    var result: Result<Row.Settled, FlipError>?
    lamp.set(true, for: Origin(.client)) { result = $0 }
    let deadline = EventLoop.now + patience
    while result == nil, EventLoop.now < deadline { try stage.loop.turn(atMost: .seconds(1)) }
    #expect(result.map { if case .success = $0 { true } else { false } } == true)
    #expect(lamp.latestReading == .on && fan.latestReading == .off)
  }

  @Test("does not act for a wish that waited until it takes more than was allowed")
  func wish() throws {
    let stage = try Stage()
    let lamp = try #require(RowID("lamp").flatMap { stage.board.rows[$0] })
    var origin = Origin(.client)
    origin.actions = [lamp.id: ["org.example.other"]]
    var result: Result<Row.Settled, FlipError>?
    lamp.set(true, for: origin) { result = $0 }
    var kind: FlipError.Kind?
    if case .failure(let error)? = result { kind = error.kind }
    #expect(kind == .accessDenied)
    #expect(lamp.facts.state == .off && lamp.facts.target == nil)
  }

  @Test("reads every row again when it is told to, as after a sleep")
  func readAll() throws {
    let stage = try Stage()
    let id = try #require(RowID("lamp"))
    let lamp = try #require(stage.board.rows[id])
    #expect(lamp.facts.state == .off)
    // Nobody watches stored values: the daemon is their one writer while it is awake.
    try stage.directory.write("on\n", to: "lamp")
    #expect(lamp.facts.state == .off)
    stage.board.readAll(afterSleep: true)
    #expect(lamp.facts.state == .on)
  }
}
