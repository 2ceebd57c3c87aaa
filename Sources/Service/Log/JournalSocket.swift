// SPDX-License-Identifier: MIT

import System

/// The way to the journal, whose reader nobody on the bus is kept waiting for.
struct JournalSocket: ~Copyable {
  private let socket: DatagramSocket

  /// Nil where there is no journal.
  init?() {
    do throws(Errno) {
      socket = try DatagramSocket(to: try UnixAddress("/run/systemd/journal/socket"))
    } catch {
      return nil
    }
  }

  /// Whether the journal took the entry.
  func send(_ entry: JournalEntry) -> Bool {
    do throws(Errno) {
      try socket.send(entry.bytes)
      return true
    } catch {
      // It has no room, or went: the caller has another way.
      return false
    }
  }
}
