// SPDX-License-Identifier: MIT

import Backends
import Settings

// A row as those see it whose member it is.

extension RowObject: GroupMember {
  var reading: Reading? { row.shownReading }

  func flip(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    // Since the caller was allowed what the flip turns with it, that may have become more.
    if let denial = denial(of: origin) { return completion(.failure(denial)) }
    set(on, for: origin) { completion($0.map { _ in () }) }
  }
}

extension RowObject: @MainActor AirplaneMember {
  var latestReading: Reading? { row.latest }
  var heading: Bool? { row.heading }

  func readAgain(_ completion: @escaping () -> Void) {
    refresh { _ in completion() }
  }
}
