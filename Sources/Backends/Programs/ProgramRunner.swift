// SPDX-License-Identifier: MIT

package import EventLoop
package import Settings
import System

/// Runs programs for rows: without a shell, without a terminal, in English, so many at once and
/// each for so long.
package final class ProgramRunner {
  /// Runs once, with the result or with why there is none.
  package typealias Completion = (Result<ProgramResult, Problem>) -> Void

  /// Where programs without a slash in their name are looked for.
  package nonisolated static let searchPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  /// How many times as many may run at once as have a place.
  private static let overcommitment = 8

  private let loop: EventLoop
  private let environment: [String: String]
  private let limit: Int
  private let placeTime: Duration
  let grace: Duration
  private let host: any ProgramHost
  private var running: [ObjectIdentifier: RunningProgram] = [:]
  /// How many run that are not urgent, and how many of them have a place.
  private var underWay = 0
  private var placed = 0
  private var waiting: [Waiting] = []
  private var isStarting = false
  private var isFinished = false

  /// A run in the queue, as long as somebody keeps it.
  private struct Waiting {
    weak var run: ProgramRun?
  }

  /// - Parameters:
  ///   - environment: what programs get besides their PATH and their language.
  ///   - limit: for how many programs that are not urgent there is a place; the others wait.
  ///   - placeTime: how long a program has its place at most: some that hang do not keep the others
  ///     waiting for their end, unless they are very many.
  ///   - grace: how long a program that is ended has from SIGTERM to SIGKILL.
  ///   - link: the bus with the systemd that is to run them; nil for the daemon to do so itself.
  package init(
    loop: EventLoop, environment: [String: String] = Environment.all, limit: Int = 8,
    placeTime: Duration = .seconds(1), grace: Duration = .seconds(1), through link: BusLink? = nil
  ) {
    self.loop = loop
    host = link.map { UnitHost($0, on: loop) } ?? ChildHost(loop)
    self.limit = limit
    self.placeTime = placeTime
    self.grace = grace
    var environment = Environment.forChildren(environment)
    environment["PATH"] = Self.searchPath
    environment["LC_ALL"] = "C.UTF-8"
    // It would win over LC_ALL, as gettext(3) has it.
    environment["LANGUAGE"] = nil
    self.environment = environment
  }

  /// Runs a program; `completion` is called once, from a later turn of the loop, when the program
  /// is no more, unless the run is dropped before. One that takes longer than `timeout` is ended.
  ///
  /// - Parameters:
  ///   - urgent: whether it starts however many others run: for flips, which are not to wait for
  ///     what other rows read, nor for flips that they themselves bring about.
  /// - Returns: what has to be kept until then: dropped, the program is ended, or never begun.
  package func run(
    _ arguments: [String], for purpose: ProgramPurpose, timeout: Duration, urgent: Bool = false,
    _ completion: @escaping Completion
  ) -> ProgramRun {
    let run = ProgramRun(
      self, arguments, for: purpose, timeout: timeout, urgent: urgent, loop: loop, completion)
    waiting.append(Waiting(run: run))
    startLater()
    return run
  }

  /// Starts a program that runs until it ends or is terminated.
  ///
  /// - Parameters:
  ///   - timeout: when the caller ends it; nil where it may run on and on.
  ///   - pause, read, ended: as for `RunningProgram`.
  func start(
    _ arguments: [String], for purpose: ProgramPurpose, timeout: Duration? = nil,
    pause: Duration? = nil, read: @escaping (RunningProgram.Stream, [UInt8]) -> Void,
    ended: @escaping (Result<ExitStatus, Problem>) -> Void
  ) throws(Problem) -> RunningProgram {
    if isFinished { throw Problem(.failed, "the daemon is leaving") }
    let request = ProgramRequest(
      arguments: arguments, purpose: purpose, environment: environment, timeout: timeout,
      grace: grace)
    var key: ObjectIdentifier?
    let program = try RunningProgram(
      request, at: host, on: loop, pause: pause, read: read
    ) { [weak self] outcome in
      if let key { self?.running[key] = nil }
      ended(outcome)
    }
    key = ObjectIdentifier(program)
    running[ObjectIdentifier(program)] = program
    return program
  }

  /// Ends every program and all that it started, and starts none any more: for the end of the
  /// daemon. Turns the loop until they are gone, for two seconds at most, or twice another grace.
  package func finish() {
    isFinished = true
    waiting = []
    for program in running.values { program.terminate() }
    let deadline = EventLoop.now + grace * 2
    while !running.isEmpty {
      let left = deadline - EventLoop.now
      // The last turn is one after the deadline, so that whoever is to be killed is, however late.
      guard (try? loop.turn(atMost: left)) != nil, left > .zero else { return }
    }
  }

  /// Starts what waits, once the caller has what it asked for.
  private func startLater() {
    guard !isStarting else { return }
    isStarting = true
    loop.atEndOfTurn { [weak self] in
      self?.host.whenKnown { self?.startWaiting() }
    }
  }

  private func startWaiting() {
    isStarting = false
    let queue = waiting
    waiting = []
    var left: [Waiting] = []
    for place in queue {
      guard let run = place.run else { continue }
      if run.isUrgent {
        run.start {}
      } else if placed < limit, underWay < limit * Self.overcommitment {
        startPlaced(run)
      } else {
        left.append(place)
      }
    }
    waiting = left + waiting
  }

  private func startPlaced(_ run: ProgramRun) {
    underWay += 1
    placed += 1
    var place: Timer?
    let giveUpPlace = { [weak self] in
      guard place != nil else { return }
      place = nil
      self?.placed -= 1
      self?.startNext()
    }
    place = loop.after(placeTime, giveUpPlace)
    run.start { [weak self] in
      self?.underWay -= 1
      giveUpPlace()
      self?.startNext()
    }
  }

  private func startNext() {
    if !waiting.isEmpty { startLater() }
  }
}
