// SPDX-License-Identifier: MIT

import Glibc
import System

/// A unix socket that takes datagrams, as a service manager's and a journal's do, and keeps them
/// until it is asked.
package final class DatagramReceiver {
  /// Where it listens: a path, or a name that begins with `@`.
  package let address: String
  private let descriptor: FileDescriptor

  /// Listens at this address.
  package init(_ address: String) throws {
    self.address = address
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = FileDescriptor(adopting: try systemCall { socket(AF_UNIX, type, 0) })
    let raw = descriptor.raw
    try UnixAddress(address).call { bind(raw, $0, $1) }
  }

  deinit {
    unlink(address)
  }

  /// The next datagram; waits for it.
  package func next() throws -> String {
    guard try Deadline(after: patience).waitForAny(of: [descriptor.raw]) else {
      throw TestFailure("nothing was sent to \(address)")
    }
    return String(decoding: try descriptor.read(upTo: 1 << 16), as: UTF8.self)
  }

  /// The datagrams that are there already.
  package func all() throws -> [String] {
    var texts: [String] = []
    while try Deadline(after: .zero).waitForAny(of: [descriptor.raw]) { texts.append(try next()) }
    return texts
  }
}
