// SPDX-License-Identifier: MIT

// toggled as a library: the whole daemon but for `main`.
//
// One thread, one loop; what may block is called on a thread of its own. A wish enters through an
// object on the bus, goes to its row, and the row asks its backend; a backend tells its row what
// is, and the row tells the bus what differs. The daemon owns its name before any backend has
// answered: rows are unknown until they are read.

import Backends
import DBus
import DBusTypes
import EventLoop
import Glibc
import RowFiles
import Settings
import System

/// The daemon: everything put together, for one bus.
package final class Daemon {
  private let options: Options
  private let log: Log
  private let loop: EventLoop
  private let connection: Connection
  private let tree: ObjectTree
  private let writer: DurableWriter
  private let values: StoredValues
  private let layers: [CatalogueLayer]
  private let runner: ProgramRunner
  private let buses: Buses
  private let board: Board
  private let clients: ClientRequests
  private let switches: SwitchesObject
  private var watcher: CatalogueWatcher?
  private var signalWatch: SignalWatch?
  private var sleepWatch: SleepWatch?
  private let notifier: ServiceNotifier?
  private var status: Int32 = EXIT_SUCCESS

  private static let settleTime = Duration.seconds(1)

  /// Serves a bus until a signal or the loss of the bus ends it; returns the exit status.
  package static func run(_ options: Options) -> Int32 {
    StandardStreams.open()
    let log = Log(level: options.logLevel)
    // The log's reader may leave before the daemon does.
    signal(SIGPIPE, SIG_IGN)
    do throws(StartError) {
      return try Daemon(options, log).serve()
    } catch {
      log.error(error.message)
      return EXIT_FAILURE
    }
  }

  /// Why the daemon did not start.
  private struct StartError: Error {
    let message: String
  }

  private init(_ options: Options, _ log: Log) throws(StartError) {
    self.options = options
    self.log = log
    let stateDirectory = try Self.stateDirectory(options)
    do throws(Errno) {
      loop = try EventLoop()
    } catch {
      throw StartError(message: "can't make an event loop: \(error)")
    }
    do throws(DBusError) {
      let address: BusAddress =
        options.address.map { .address($0) } ?? (options.scope == .system ? .machine : .session)
      connection = try Connection(address)
    } catch {
      throw StartError(
        message: "can't connect to the \(options.scope.rawValue) bus: \(error.message)")
    }
    tree = ObjectTree(connection)
    writer = DurableWriter(loop: loop)
    layers =
      options.rowsDirectory.map { [CatalogueLayer($0)] }
      ?? SearchPath.layers(for: options.scope, environment: Environment.value)
    values = StoredValues(
      directory: stateDirectory, owners: options.scope.owners, writer: writer
    ) { log.warning($0) }
    buses = Buses(options.scope, connection: connection, loop: loop, log: log)
    // The system's daemon keeps little for itself that a program could do anything with.
    runner = ProgramRunner(
      loop: loop, environment: options.scope.environment,
      through: options.scope == .system ? buses.link(to: .system) : nil)
    let policy = Policy(
      options.scope, connection: connection, link: buses.link(to: .system))
    clients = ClientRequests(policy: policy, log: log)
    switches = SwitchesObject(clients: clients)
    board = Board(
      tree: tree, loop: loop, log: log, locale: Locale(environment: Environment.value),
      factory: BackendFactory(
        loop: loop, log: log, owners: options.scope.owners, values: values, buses: buses,
        runner: runner,
        radios: RfkillDevice(options.radioDevice, loop: loop)),
      clients: clients, switches: switches)
    notifier = ServiceNotifier(environment: Environment.value, loop: loop, log: log) {
      [unowned board] in board.summary
    }
  }

  private func serve() throws(StartError) -> Int32 {
    connection.onDisconnect = { [unowned self] in lose() }
    connection.onNotice = { [log] in log.warning("\($0)") }
    do throws(Errno) {
      try connection.attach(to: loop)
      signalWatch = try loop.signals([SIGHUP, SIGTERM, SIGINT]) { [unowned self] signal in
        if signal == SIGHUP { reloadByHand() } else { leave() }
      }
    } catch {
      throw StartError(message: "can't serve the \(options.scope.rawValue) bus: \(error)")
    }
    // Nobody listens before the name is owned: the first rows are not announced one by one.
    watchFiles()
    export()
    try requestName()
    logRows()
    values.removeLeftovers()
    board.start()
    sleepWatch = SleepWatch(link: buses.link(to: .system), on: loop) { [unowned self] afterSleep in
      log.debug(
        "\(afterSleep ? "the machine woke up" : "the clock was set"): reading all rows again")
      board.readAll(afterSleep: afterSleep)
    }
    board.summaryChanged = { [notifier] in notifier?.statusChanged() }
    notifier?.ready()
    do throws(Errno) {
      // What the start or the last client alone needed can go once there is nothing more to do.
      try loop.run(settlingAfter: Self.settleTime) {
        ProgramPages.release()
        Heap.trim()
      }
    } catch {
      throw StartError(message: "the event loop failed: \(error)")
    }
    // No program of a row's is left behind.
    runner.finish()
    // Flips that wait for the disk are answered before the daemon leaves.
    writer.finish()
    tree.flush()
    connection.close()
    return status
  }

  private func leave() {
    notifier?.stopping()
    loop.stop()
  }

  private func lose() {
    let text = "lost the \(options.scope.rawValue) bus; leaving"
    notifier?.stopping(text)
    log.error(text)
    status = EXIT_FAILURE
    loop.stop()
  }

  // MARK: The bus

  private func export() {
    let manager = ManagerObject(options.scope, board: board)
    let managerTable = ManagerObject.table(clients: clients) { [unowned self] in reloadByHand() }
    let managerBinding = managerTable.bound(to: manager)
    board.managerChanged = { managerBinding.changed($0) }
    tree.addObjectManager(at: .toggled)
    tree.export(at: .toggled, managerBinding, switches.binding)
    tree.export(
      at: .logControl,
      LogControlObject.table(clients: clients).bound(to: LogControlObject(log)))
  }

  private func requestName() throws(StartError) {
    do throws(DBusError) {
      switch try connection.requestName(.toggled) {
      case .primaryOwner, .alreadyOwner: return
      case .exists, .inQueue: break
      }
    } catch {
      throw StartError(
        message: "can't own \(BusName.toggled) on the \(options.scope.rawValue) bus: "
          + error.message)
    }
    let owner =
      (try? connection.processID(of: .toggled)).map { "process \($0)" } ?? "another process"
    throw StartError(
      message: "\(BusName.toggled) on the \(options.scope.rawValue) bus is owned by \(owner) "
        + "already; stop that first")
  }

  // MARK: Files

  private func watchFiles() {
    let watcher = CatalogueWatcher(
      loop: loop, failed: { [log] in log.warning($0) },
      changed: { [unowned self] in reload() })
    self.watcher = watcher
    _ = watcher.watch(layers.map(\.directory))
    reload()
  }

  private func reloadByHand() {
    reload()
    board.enforceLocks()
  }

  private func reload() {
    var catalogue: Catalogue
    repeat {
      catalogue = Catalogue.load(
        layers: layers, scope: options.scope,
        from: DiskFiles(
          searchPath: options.scope.environment["PATH"], owners: options.scope.owners),
        previous: board.catalogue)
    } while watcher?.watch(catalogue.directories) ?? false
    let before = board.rows.count
    board.apply(catalogue)
    if catalogue.isPartial { watcher?.tryLater() }
    if board.isStarted, board.rows.count != before { logRows() }
  }

  private func logRows() {
    log.info("rows on the \(options.scope.rawValue) bus: \(board.rows.count)")
  }

  private static func stateDirectory(_ options: Options) throws(StartError) -> String {
    if let directory = options.stateDirectory { return directory }
    if options.scope == .system { return "/var/lib/toggled" }
    if let state = Environment.value("XDG_STATE_HOME"), state.hasPrefix("/") {
      return "\(state)/toggled"
    }
    if let home = Environment.value("HOME"), home.hasPrefix("/") {
      return "\(home)/.local/state/toggled"
    }
    throw StartError(
      message: "no place for stored values: set HOME or XDG_STATE_HOME, or give --state DIR")
  }
}
