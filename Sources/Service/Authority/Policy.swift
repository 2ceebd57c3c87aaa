// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import Settings

/// Who may do what.
///
/// On a session bus everyone is the user. On the system bus a row belongs to the machine: whoever
/// runs the daemon may flip it, which is root. The bus's own word counts for who a caller is.
final class Policy {
  private let scope: Scope
  private let connection: Connection
  private let ownUser = geteuid()
  /// User ids by unique name: a name is never given to another connection.
  private var users: [BusName: UInt32] = [:]

  init(_ scope: Scope, connection: Connection) {
    self.scope = scope
    self.connection = connection
  }

  /// Whether the sender may change what belongs to everyone here. May answer before it returns.
  ///
  /// - Parameter purpose: what it is for, to be named in the refusal.
  func authorise(
    _ sender: BusName?, to purpose: String,
    _ completion: @escaping (Result<Void, DBusError>) -> Void
  ) {
    guard scope == .system else { return completion(.success(())) }
    guard let sender else {
      return completion(.failure(DBusError(.accessDenied, "can't tell who asks to \(purpose)")))
    }
    if let user = users[sender] { return completion(allows(user, purpose)) }
    connection.userID(of: sender) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let user):
        if users.count >= 256 { users.removeAll() }
        users[sender] = user
        completion(allows(user, purpose))
      case .failure(let error):
        completion(
          .failure(DBusError(.accessDenied, "can't tell who asks to \(purpose): \(error.message)")))
      }
    }
  }

  private func allows(_ user: UInt32, _ purpose: String) -> Result<Void, DBusError> {
    guard user == 0 || user == ownUser else {
      return .failure(
        DBusError(.accessDenied, "only root may \(purpose); try again with sudo"))
    }
    return .success(())
  }
}
