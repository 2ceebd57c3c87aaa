// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

/// What clients ask of rows, in the contract's order: no-op answer, limits, authorisation, act,
/// signal, reply.
final class ClientRequests {
  typealias Answer = (Row.Settled) -> Void

  /// How many flips one client may have unanswered.
  static let pendingLimit = 16
  /// How many rows an Apply may name, where there are not more.
  static let applyLimit = 1024
  /// How long the ids in an Apply may be, all together, that are no rows': they are kept to be
  /// named in the answer.
  static let strangersLimit = 16 * 1024

  private let policy: Policy
  private let log: Log
  private var pending: [BusName?: Int] = [:]

  init(policy: Policy, log: Log) {
    self.policy = policy
    self.log = log
  }

  func set(_ row: RowObject, _ on: Bool, _ invocation: Invocation, _ answer: @escaping Answer) {
    if row.isSettled(on) {
      return row.set(on, for: invocation.origin) { self.finish($0, row, invocation, answer) }
    }
    flip(row, on ? "turned on" : "turned off", invocation, answer, to: { [on] }) {
      row.set(on, for: $0, $1)
    }
  }

  func toggle(_ row: RowObject, _ invocation: Invocation, _ answer: @escaping Answer) {
    flip(row, "toggled", invocation, answer, to: { row.toggleTargets }) {
      row.toggle(for: $0, $1)
    }
  }

  func reset(_ row: RowObject, _ invocation: Invocation, _ answer: @escaping Answer) {
    flip(row, "reset", invocation, answer, to: { row.definition.defaultValue.map { [$0] } ?? [] }) {
      row.reset(for: $0, $1)
    }
  }

  func refresh(_ row: RowObject, _ invocation: Invocation, _ answer: @escaping Answer) {
    guard begin(invocation) else { return }
    row.refresh { result in
      self.end(invocation)
      self.finish(result, row, invocation, answer)
    }
  }

  /// Flips several rows; each is tried, and has its own entry in the answer.
  func apply(_ wanted: [String: Bool], to board: Board, _ invocation: Invocation) {
    let limit = max(board.rows.count, Self.applyLimit)
    guard wanted.count <= limit else {
      return invocation.fail(
        DBusError(
          .limitsExceeded, "\(wanted.count) rows are too many for one call; \(limit) at most"))
    }
    var wishes: [(row: RowObject, on: Bool)] = []
    var strangers: [String] = []
    for (id, on) in wanted {
      if let row = RowID(id).flatMap({ board.rows[$0] }) {
        wishes.append((row, on))
      } else {
        strangers.append(id)
      }
    }
    guard strangers.reduce(0, { $0 + $1.utf8.count }) <= Self.strangersLimit else {
      return invocation.fail(
        DBusError(
          .limitsExceeded,
          "the \(strangers.count) ids that no row has are too long for one call; "
            + "\(Self.strangersLimit) bytes at most"))
    }
    guard begin(invocation) else { return }
    var results: [String: ApplyResult] = [:]
    var left = wishes.count + 1
    @MainActor func done() {
      left -= 1
      guard left == 0 else { return }
      self.end(invocation)
      for id in strangers { results[id] = Self.failure(.noSuchRow(id)) }
      invocation.reply(results)
    }
    for (row, on) in wishes {
      turn(row, on ? "turned on" : "turned off", invocation, to: { [on] }) {
        row.set(on, for: $0, $1)
      } completion: { result in
        switch result {
        case .success(let settled):
          results[row.id.rawValue] = ApplyResult(settled.changed, "", "")
        case .failure(let error): results[row.id.rawValue] = Self.failure(error)
        }
        done()
      }
    }
    done()
  }

  /// Whether a row was changed; the error's name and message, where it could not be turned.
  private typealias ApplyResult = Structure<Bool, String, String>

  private static func failure(_ error: DBusError) -> ApplyResult {
    ApplyResult(false, error.name.rawValue, error.message)
  }

  /// Does what on the system bus only root may do.
  func asAdministrator(
    _ purpose: String, _ invocation: Invocation, _ action: @escaping () -> Void
  ) {
    policy.authoriseAdministrator(invocation.sender, to: purpose) { result in
      switch result {
      case .success: action()
      case .failure(let error): invocation.fail(error)
      }
    }
  }

  private func flip(
    _ row: RowObject, _ deed: String, _ invocation: Invocation, _ answer: @escaping Answer,
    to values: @escaping () -> [Bool],
    _ action: @escaping (Origin, @escaping RowObject.Completion) -> Void
  ) {
    guard begin(invocation) else { return }
    turn(row, deed, invocation, to: values, action) { result in
      self.end(invocation)
      switch result {
      case .success(let settled): answer(settled)
      case .failure(let error): invocation.fail(error)
      }
    }
  }

  /// Acts for a client once it may, and notes what did not come about.
  private func turn(
    _ row: RowObject, _ deed: String, _ invocation: Invocation, to values: @escaping () -> [Bool],
    _ action: @escaping (Origin, @escaping RowObject.Completion) -> Void,
    completion: @escaping (Result<Row.Settled, DBusError>) -> Void
  ) {
    func end(_ result: Result<Row.Settled, DBusError>) {
      if case .failure(let error) = result { self.noteRefusal(row.id, deed, invocation, error) }
      completion(result)
    }
    authorise(row, invocation, to: values) { result in
      switch result {
      case .failure(let error): end(.failure(error))
      case .success(let origin):
        action(origin) { end($0.mapError { DBusError($0, row: row.id) }) }
      }
    }
  }

  /// Finds out whether the caller may turn the row to any of these values, and all that this turns
  /// with it. What already is, and what a lock refuses anyway, takes nothing.
  private func authorise(
    _ row: RowObject, _ invocation: Invocation, to values: @escaping () -> [Bool],
    _ completion: @escaping (Result<Origin, DBusError>) -> Void
  ) {
    let origin = invocation.origin
    policy.authorise(
      invocation.sender, mayAsk: origin.isInteractive,
      for: { () throws(DBusError) in
        // It may have gone while polkit was asked.
        if row.isRemoved { throw .noSuchRow(row.id.rawValue) }
        return values().filter { !row.isSettled($0) && row.allows($0) }
          .flatMap { row.permissions(toTurn: $0) }
      },
      { result in
        completion(
          result.map { actions in
            var origin = origin
            origin.actions = actions
            return origin
          })
      })
  }

  // MARK: The log

  /// Has a line written once it is known who asked.
  func note(_ origin: Origin, _ write: @escaping (Log, Credentials?) -> Void) {
    guard let client = origin.client.flatMap({ BusName($0) }) else { return write(log, nil) }
    policy.callers.find(client) { [log] in write(log, try? $0.get()) }
  }

  private func noteRefusal(
    _ row: RowID, _ deed: String, _ invocation: Invocation, _ error: DBusError
  ) {
    let origin = invocation.origin
    note(origin) { $0.refused(row, deed, origin, $1, error) }
  }

  private func finish(
    _ result: Result<Row.Settled, FlipError>, _ row: RowObject, _ invocation: Invocation,
    _ answer: Answer
  ) {
    switch result {
    case .success(let settled): answer(settled)
    case .failure(let error): invocation.fail(DBusError(error, row: row.id))
    }
  }

  private func begin(_ invocation: Invocation) -> Bool {
    let count = pending[invocation.sender, default: 0]
    guard count < Self.pendingLimit else {
      invocation.fail(
        DBusError(
          .limitsExceeded,
          "\(count) of your calls are unanswered; wait for one of them before the next flip"))
      return false
    }
    pending[invocation.sender] = count + 1
    // For the log: by the time that a line is written it may have gone.
    if let sender = invocation.sender { policy.callers.find(sender) { _ in } }
    return true
  }

  private func end(_ invocation: Invocation) {
    guard let count = pending[invocation.sender] else { return }
    pending[invocation.sender] = count > 1 ? count - 1 : nil
  }
}

extension Invocation {
  fileprivate var origin: Origin {
    Origin(.client, client: sender?.rawValue, isInteractive: allowsInteractiveAuthorization)
  }
}

extension DBusError {
  nonisolated static func noSuchRow(_ id: String) -> DBusError {
    DBusError(
      .unknownObject,
      "there is no row '\(id.shortened(to: 64))'; togglectl list shows those there are")
  }

  /// A failed flip as the contract names it. The row is named, which a backend does not know.
  nonisolated init(_ error: FlipError, row: RowID) {
    let name: ErrorName =
      switch error.kind {
      case .accessDenied: .accessDenied
      case .backendFailed: .backendFailed
      case .interactiveAuthorizationRequired: .interactiveAuthorizationRequired
      case .invalidArgs: .invalidArgs
      case .limitsExceeded: .limitsExceeded
      case .locked: .locked
      case .notSupported: .notSupported
      case .removed: .unknownObject
      case .superseded: .superseded
      case .timedOut: .notConfirmed
      case .unavailable: .unavailable
      }
    let message = error.message
    self.init(name, message.hasPrefix("row \(row) ") ? message : "row \(row): \(message)")
  }
}
