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
    flip(row, on ? "turned on" : "turned off", invocation, answer) {
      row.set(on, for: invocation.origin, $0)
    }
  }

  func toggle(_ row: RowObject, _ invocation: Invocation, _ answer: @escaping Answer) {
    flip(row, "toggled", invocation, answer) {
      row.toggle(for: invocation.origin, $0)
    }
  }

  func reset(_ row: RowObject, _ invocation: Invocation, _ answer: @escaping Answer) {
    flip(row, "reset", invocation, answer) {
      row.reset(for: invocation.origin, $0)
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
    guard begin(invocation) else { return }
    policy.authorise(invocation.sender, to: "flip rows") { authorisation in
      var results: [String: Structure<Bool, String, String>] = [:]
      var left = wanted.count + 1
      @MainActor func done() {
        left -= 1
        guard left == 0 else { return }
        self.end(invocation)
        invocation.reply(results)
      }
      @MainActor func failed(_ id: String, _ error: DBusError) {
        results[id] = Structure(false, error.name.rawValue, error.message)
        done()
      }
      for (id, on) in wanted {
        guard let row = RowID(id).flatMap({ board.rows[$0] }) else {
          failed(id, .noSuchRow(id))
          continue
        }
        if !row.isSettled(on), case .failure(let error) = authorisation {
          failed(id, error)
          continue
        }
        row.set(on, for: invocation.origin) { result in
          switch result {
          case .success(let settled):
            results[id] = Structure(settled.changed, "", "")
            done()
          case .failure(let error): failed(id, DBusError(error, row: row.id))
          }
        }
      }
      done()
    }
  }

  /// Does what on the system bus only root may do.
  func asAdministrator(
    _ purpose: String, _ invocation: Invocation, _ action: @escaping () -> Void
  ) {
    policy.authorise(invocation.sender, to: purpose) { result in
      switch result {
      case .success: action()
      case .failure(let error): invocation.fail(error)
      }
    }
  }

  private func flip(
    _ row: RowObject, _ deed: String, _ invocation: Invocation, _ answer: @escaping Answer,
    _ action: @escaping (@escaping RowObject.Completion) -> Void
  ) {
    guard begin(invocation) else { return }
    policy.authorise(invocation.sender, to: "flip row \(row.id)") { result in
      if case .failure(let error) = result {
        self.end(invocation)
        return invocation.fail(error)
      }
      // The row may have gone while the bus was asked.
      guard !row.isRemoved else {
        self.end(invocation)
        return invocation.fail(.noSuchRow(row.id.rawValue))
      }
      action { result in
        self.end(invocation)
        self.log.flip(row, deed, by: invocation.sender, result)
        self.finish(result, row, invocation, answer)
      }
    }
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

extension Log {
  fileprivate func flip(
    _ row: RowObject, _ deed: String, by sender: BusName?,
    _ result: Result<Row.Settled, FlipError>
  ) {
    switch result {
    case .success: break
    case .failure(let error):
      let message = DBusError(error, row: row.id).message
      notice("not \(deed) for \(sender?.rawValue ?? "?"): \(message)")
    }
  }
}

extension DBusError {
  nonisolated static func noSuchRow(_ id: String) -> DBusError {
    DBusError(.unknownObject, "there is no row '\(id)'; togglectl list shows those there are")
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
