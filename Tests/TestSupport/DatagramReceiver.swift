// SPDX-License-Identifier: MIT

import Glibc
import System

/// A unix socket that takes datagrams, as a service manager's and a journal's do, and keeps them
/// until it is asked.
package final class DatagramReceiver {
  /// Where it listens: a path, or a name that begins with `@`.
  package let address: String
  private var descriptor: FileDescriptor?

  /// Listens at this address.
  package init(_ address: String) throws {
    self.address = address
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let created = FileDescriptor(adopting: try systemCall { socket(AF_UNIX, type, 0) })
    let raw = created.raw
    try UnixAddress(address).call { bind(raw, $0, $1) }
    descriptor = consume created
  }

  deinit {
    unlink(address)
  }

  /// Closes it, and returns once it is gone: a child that another test's thread is just starting
  /// has it, and takes what is sent, until it becomes its program.
  package func close() throws {
    let deadline = Deadline(after: patience)
    let sender = try DatagramSocket(to: UnixAddress(address))
    unlink(address)
    descriptor = nil
    while !deadline.hasPassed {
      if send(sender.raw, "", 0, Int32(MSG_DONTWAIT)) < 0, errno == ECONNREFUSED { return }
    }
    throw TestFailure("\(address) never closed")
  }

  private func raw() throws -> Int32 {
    guard let raw = descriptor?.raw else { throw TestFailure("\(address) was closed") }
    return raw
  }

  /// The next datagram; waits for it.
  package func next() throws -> String {
    guard try Deadline(after: patience).waitForAny(of: [raw()]) else {
      throw TestFailure("nothing was sent to \(address)")
    }
    return String(decoding: try descriptor?.read(upTo: 1 << 16) ?? [], as: UTF8.self)
  }

  /// The datagrams that are there already.
  package func all() throws -> [String] {
    var texts: [String] = []
    while try Deadline(after: .zero).waitForAny(of: [raw()]) { texts.append(try next()) }
    return texts
  }
}
