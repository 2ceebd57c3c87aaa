// SPDX-License-Identifier: MIT

import Backends
import DBus
import DBusTypes
import Glibc
import Settings

/// Who may do what.
///
/// On a session bus everyone is the user. On the system bus a row belongs to the machine: root may
/// flip it, and so may the user that the daemon runs as; polkit says who else may. The bus's own
/// word counts for who a caller is.
final class Policy {
  /// The actions that were allowed, row by row; nil where nobody had to be asked.
  typealias Completion = (Result<[RowID: Set<String>]?, DBusError>) -> Void

  /// Who is behind the names of clients.
  let callers: Callers
  private let scope: Scope
  private let connection: Connection
  private let polkit: Polkit
  private let questions = QuestionLimit()
  private let ownUser = geteuid()
  private var clients: [BusName: ClientChecks] = [:]

  /// - Parameter link: the way to the system bus.
  init(_ scope: Scope, connection: Connection, link: BusLink) {
    self.scope = scope
    self.connection = connection
    callers = Callers(connection)
    polkit = Polkit(link)
  }

  /// Whether the caller may flip. May answer before it returns.
  ///
  /// What has to be allowed is asked for anew after the answers: a row may have become another
  /// meanwhile. What it throws is the answer.
  ///
  /// - Parameters:
  ///   - mayAsk: whether a person may be asked: the caller's own flag.
  ///   - needs: what has to be allowed, as things are now.
  func authorise(
    _ caller: BusName?, mayAsk: Bool,
    for needs: @escaping () throws(DBusError) -> [Permission], _ completion: @escaping Completion
  ) {
    identify(caller, for: "flip a row") { [self] result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(nil): completion(.success(nil))
      case .success(let client?): go(on: client, mayAsk: mayAsk, for: needs, having: [], completion)
      }
    }
  }

  /// Whether the caller may do what belongs to the administrator: root, on the system bus.
  ///
  /// - Parameter purpose: what it is for, to be named in the refusal.
  func authoriseAdministrator(
    _ caller: BusName?, to purpose: String,
    _ completion: @escaping (Result<Void, DBusError>) -> Void
  ) {
    identify(caller, for: purpose) { result in
      completion(
        result.flatMap { client in
          guard client != nil else { return .success(()) }
          return .failure(
            DBusError(.accessDenied, "only root may \(purpose); try again with sudo"))
        })
    }
  }

  /// Somebody who may not do everything.
  private struct Client {
    let name: BusName
    let userID: UInt32
  }

  /// Finds out who calls: nil is somebody who may do everything.
  private func identify(
    _ caller: BusName?, for purpose: String,
    _ completion: @escaping (Result<Client?, DBusError>) -> Void
  ) {
    guard scope == .system else { return completion(.success(nil)) }
    func fail(_ why: String) {
      completion(.failure(DBusError(.accessDenied, "can't tell who asks to \(purpose)\(why)")))
    }
    guard let caller else { return fail("") }
    callers.find(caller) { [ownUser] result in
      switch result {
      case .failure(let error): fail(": \(error.message)")
      case .success(let credentials):
        guard let user = credentials.userID else { return fail("") }
        let mayDoAll = user == 0 || user == ownUser
        completion(.success(mayDoAll ? nil : Client(name: caller, userID: user)))
      }
    }
  }

  // MARK: Permissions

  private func go(
    on client: Client, mayAsk: Bool,
    for needs: @escaping () throws(DBusError) -> [Permission], having allowed: Set<Permission>,
    _ completion: @escaping Completion
  ) {
    let missing: Permission?
    do throws(DBusError) {
      missing = try needs().first { !allowed.contains($0) }
    } catch {
      return completion(.failure(error))
    }
    guard let missing else {
      let byRow = Dictionary(grouping: allowed, by: \.row)
      return completion(.success(byRow.mapValues { Set($0.map(\.action)) }))
    }
    check(missing, for: client, mayAsk: mayAsk) { [self] answer, asked in
      switch answer {
      case .allowed:
        go(
          on: client, mayAsk: mayAsk, for: needs, having: allowed.union([missing]), completion)
      default: completion(.failure(DBusError(answer, asked, mayAsk: mayAsk)))
      }
    }
  }

  /// Checks a permission, or, where its action is that of a program that is not installed, the
  /// daemon's own in its place. `completion` has the one that was answered.
  private func check(
    _ permission: Permission, for client: Client, mayAsk: Bool,
    _ completion: @escaping (Polkit.Answer, Permission) -> Void
  ) {
    let checks = checks(of: client)
    checks.add(permission, mayAsk: mayAsk) { [weak self] answer in
      guard let self else { return completion(answer, permission) }
      guard case .unknownAction = answer, permission.action != PolkitAction.flip else {
        if checks.isIdle { clients[client.name] = nil }
        return completion(answer, permission)
      }
      var own = permission
      own.action = PolkitAction.flip
      check(own, for: client, mayAsk: mayAsk, completion)
    }
  }

  private func checks(of client: Client) -> ClientChecks {
    if let checks = clients[client.name] { return checks }
    let checks = ClientChecks(
      client.name, userID: client.userID, polkit: polkit, connection: connection,
      questions: questions)
    clients[client.name] = checks
    return checks
  }
}

extension DBusError {
  /// What a client is told whom polkit did not allow it, and what to do about it.
  nonisolated fileprivate init(_ answer: Polkit.Answer, _ permission: Permission, mayAsk: Bool) {
    let (row, action) = (permission.row, permission.action)
    let advice = "use sudo, or have a rule in /etc/polkit-1/rules.d allow it, see toggled(8)"
    switch answer {
    case .needsPerson where mayAsk:
      self.init(
        .interactiveAuthorizationRequired,
        "row \(row): \(action) takes a password, and there is no authentication agent to ask for "
          + "it; use togglectl on a terminal, or \(advice)")
    case .needsPerson:
      self.init(
        .interactiveAuthorizationRequired,
        "row \(row): \(action) takes a password, and the call did not allow asking for it; use "
          + "togglectl on a terminal, or \(advice)")
    case .dismissed:
      self.init(
        .accessDenied,
        "row \(row): \(action) takes a password, and none was given that counts; try again")
    case .unavailable(let why):
      self.init(
        .accessDenied,
        "row \(row): polkit can't be asked whether you may (\(why)); until it can, only root may: "
          + "use sudo")
    case .tooManyQuestions:
      self.init(
        .limitsExceeded,
        "row \(row): \(action) takes a password, and too many questions for one are open; answer "
          + "those first")
    case .unknownAction:
      self.init(
        .accessDenied,
        "row \(row): polkit does not know \(action), whose file is to be in "
          + "/usr/share/polkit-1/actions; until it does only root may: use sudo")
    case .refused, .allowed:
      self.init(.accessDenied, "row \(row): \(action) is not allowed to you; \(advice)")
    }
  }
}
