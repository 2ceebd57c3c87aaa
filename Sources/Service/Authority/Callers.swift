// SPDX-License-Identifier: MIT

import DBus
import DBusTypes

/// Who is behind the names of clients, by the bus's own word.
final class Callers {
  typealias Completion = (Result<Credentials, DBusError>) -> Void

  private let connection: Connection
  /// A unique name is never given to another connection, so what is known stays true.
  private var known: [BusName: Credentials] = [:]
  private var waiting: [BusName: [Completion]] = [:]

  /// As many as are remembered; beyond that it starts anew.
  private static let limit = 256

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// Finds out who is behind a unique name; at once where that is known.
  func find(_ name: BusName, _ completion: @escaping Completion) {
    if let credentials = known[name] { return completion(.success(credentials)) }
    waiting[name, default: []].append(completion)
    guard waiting[name]?.count == 1 else { return }
    connection.credentials(of: name) { [weak self] result in
      guard let self else { return }
      if case .success(let credentials) = result {
        if known.count >= Self.limit { known.removeAll() }
        known[name] = credentials
      }
      for completion in waiting.removeValue(forKey: name) ?? [] { completion(result) }
    }
  }
}
