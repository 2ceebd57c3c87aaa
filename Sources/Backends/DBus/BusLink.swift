// SPDX-License-Identifier: MIT

package import DBus
import DBusTypes
package import EventLoop
package import Settings

/// The way to a bus, for all backends that read there.
///
/// Connects when the first of them asks, and never waits for it: a bus that hangs must not keep the
/// rows of another one waiting. What fails, or is lost, is tried again whenever a row is read or
/// flipped, and by itself with growing pauses; not while there is no socket, whose coming is
/// watched for, nor while the bus hangs, which has one attempt to answer whenever it can.
package final class BusLink {
  /// The bus, or why there is none now.
  package typealias Outcome = Result<RemoteBus, Problem>

  private enum State {
    case idle
    case connecting
    case up(RemoteBus)
    case down(Problem)
  }

  /// Somebody who waits until it is known whether there is a bus.
  private struct Waiter {
    let timer: Timer
    let completion: (Outcome) -> Void
  }

  private let name: String
  private let address: BusAddress
  private let loop: EventLoop
  private let notice: (String) -> Void
  private let greetingTime: Duration
  private var state = State.idle
  /// The one attempt under way, while `connecting` and still when the bus has hung for so long that
  /// it is `down`.
  private var attempt: ConnectionAttempt?
  private var hang: Timer?
  private var followers: [ObjectIdentifier: (Outcome) -> Void] = [:]
  private var waiters: [UInt64: Waiter] = [:]
  private var lastWaiter: UInt64 = 0
  /// For the next attempt: a pause, or the socket's coming.
  private var retry: Timer?
  private var appearance: PathWatch?
  private var pause = BusLink.firstPause
  private var upSince = Duration.zero
  /// What a person was last told of why there is no bus; nil while there is one.
  private var toldProblem: Problem?

  private static let firstPause = Duration.milliseconds(250)
  private static let longestPause = Duration.seconds(64)

  /// The bus of `scope`, yet to be connected to.
  ///
  /// - Parameters:
  ///   - greetingTime: after what time a bus that has not answered is said to hang.
  ///   - notice: told what a person should know, such as that the bus can't be reached.
  package init(
    _ scope: Scope, at address: BusAddress, on loop: EventLoop,
    greetingTime: Duration = Connection.greetingTime, notice: @escaping (String) -> Void
  ) {
    name = "the \(scope.rawValue) bus"
    self.address = address
    self.loop = loop
    self.greetingTime = greetingTime
    self.notice = notice
  }

  /// A bus that is connected to already, by someone who sees to it that it lasts.
  package init(_ scope: Scope, _ connection: Connection, on loop: EventLoop) {
    name = "the \(scope.rawValue) bus"
    address = BusAddress(scope)
    self.loop = loop
    greetingTime = Connection.greetingTime
    notice = { _ in }
    state = .up(RemoteBus(connection))
  }

  // MARK: Those who read there

  /// Calls `handler` with the bus whenever there is one, and with the problem whenever that is gone
  /// or can't be had, until `unfollow`; at once where that is known, else later.
  ///
  /// - Parameter connecting: whether the bus is connected to for this follower's sake.
  package func follow(
    _ follower: AnyObject, connecting: Bool = true, _ handler: @escaping (Outcome) -> Void
  ) {
    followers[ObjectIdentifier(follower)] = handler
    switch state {
    case .idle: if connecting { connect() }
    case .connecting: break
    case .up(let bus): handler(.success(bus))
    case .down(let problem): handler(.failure(problem))
    }
  }

  /// Ends what `follow` began.
  package func unfollow(_ follower: AnyObject) {
    followers[ObjectIdentifier(follower)] = nil
  }

  /// Asks for the bus, and has it connected to if it is not. `completion` runs once: at once with a
  /// bus that is there, else when the attempt under way has ended, or after `limit`.
  package func reach(within limit: Duration, _ completion: @escaping (Outcome) -> Void) {
    if case .up(let bus) = state { return completion(.success(bus)) }
    lastWaiter += 1
    let number = lastWaiter
    let timer = loop.after(limit) { [weak self] in
      guard let self, let waiter = waiters.removeValue(forKey: number) else { return }
      waiter.completion(.failure(silence))
    }
    waiters[number] = Waiter(timer: timer, completion: completion)
    if attempt == nil { connect() }
  }

  // MARK: Connecting

  private func connect() {
    (retry, appearance) = (nil, nil)
    state = .connecting
    attempt = ConnectionAttempt(address, on: loop) { [weak self] result in
      guard let self else { return }
      (attempt, hang) = (nil, nil)
      switch result {
      case .success(let connection): connected(connection)
      case .failure(let error): failed(error)
      }
    }
    hang = loop.after(greetingTime) { [weak self] in
      guard let self else { return }
      fail(silence)
    }
  }

  private func connected(_ connection: Connection) {
    let bus = RemoteBus(connection)
    connection.onDisconnect = { [weak self] in self?.lost() }
    connection.onNotice = { [notice] in notice("\($0)") }
    upSince = EventLoop.now
    if toldProblem != nil { notice("\(name) is there") }
    toldProblem = nil
    become(.up(bus), .success(bus))
  }

  private func lost() {
    if case .up(let bus) = state { bus.calls.close() }
    // One that greets and then breaks again and again is not come back to at once.
    if EventLoop.now - upSince > Self.longestPause { pause = Self.firstPause }
    tryLater()
    fail(Problem(.noService, "\(name) went away"))
  }

  private func failed(_ error: DBusError) {
    if error.name != .fileNotFound || !awaitSocket() { tryLater() }
    fail(problem(error.message))
  }

  private func problem(_ words: String) -> Problem {
    Problem(.noService, "\(name) can't be reached: \(words)")
  }

  private var silence: Problem { problem("it does not answer") }

  private func fail(_ problem: Problem) {
    if toldProblem != problem { notice(problem.text) }
    toldProblem = problem
    become(.down(problem), .failure(problem))
  }

  private func become(_ state: State, _ outcome: Outcome) {
    self.state = state
    // Those who follow come first: who waits goes on with what they have made of it. Any of them
    // may end another's following.
    for follower in Array(followers.keys) { followers[follower]?(outcome) }
    let waiting = waiters.sorted { $0.key < $1.key }
    waiters = [:]
    for (_, waiter) in waiting { waiter.completion(outcome) }
  }

  private func tryLater() {
    retry = loop.after(pause) { [weak self] in self?.connect() }
    pause = min(pause * 2, Self.longestPause)
  }

  /// Has the socket's coming watched for; false where that can't be.
  private func awaitSocket() -> Bool {
    guard let path = address.socketPath else { return false }
    appearance = try? loop.appearance(of: path) { [weak self] in
      // A name further up may have come alone; then the attempt fails, and watches on.
      self?.connect()
    }
    return appearance != nil
  }
}
