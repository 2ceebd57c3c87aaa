// SPDX-License-Identifier: MIT

import CLinux
import Glibc
package import System

/// A unix socket that takes connections as a bus does, and says nothing: the kernel accepts for it.
package final class BareSocket {
  /// The D-Bus address.
  package let address: String
  private let descriptor: FileDescriptor
  private let path: String
  /// What fills the backlog.
  private var fillers: [Peer] = []

  /// Listens at `path`.
  ///
  /// - Parameter isFull: the backlog is, as that of a bus is that has hung for a while: connect(2)
  ///   blocks until a connection is accepted.
  package init(_ path: String, isFull: Bool = false) throws {
    self.path = path
    address = "unix:path=\(path)"
    descriptor = try Self.socket()
    let raw = descriptor.raw
    try UnixAddress(path).call { bind(raw, $0, $1) }
    _ = try systemCall { listen(raw, isFull ? 0 : 16) }
    if isFull { try fill() }
  }

  deinit {
    unlink(path)
  }

  private func fill() throws {
    do throws(Errno) {
      while true {
        let filler = try Self.socket(Int32(SOCK_NONBLOCK.rawValue))
        let raw = filler.raw
        try UnixAddress(path).call { connect(raw, $0, $1) }
        fillers.append(Peer(filler))
      }
    } catch {
      guard error == .wouldBlock else { throw error }
      guard !fillers.isEmpty else { throw TestFailure("\(path) had no room from the start") }
    }
  }

  private static func socket(_ flags: Int32 = 0) throws(Errno) -> FileDescriptor {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | flags
    return FileDescriptor(adopting: try systemCall { Glibc.socket(AF_UNIX, type, 0) })
  }

  /// The next connection. Waits for it; those that fill the backlog come first.
  package func accept() throws -> Peer {
    guard try Deadline(after: patience).waitForAny(of: [descriptor.raw]) else {
      throw TestFailure("nobody connected to \(path)")
    }
    let raw = descriptor.raw
    return Peer(FileDescriptor(adopting: try systemCall { Glibc.accept(raw, nil, nil) }))
  }

  /// Accepts what fills the backlog, and closes it.
  package func drain() throws {
    for _ in fillers { _ = try accept() }
    fillers = []
  }

  /// Accepts the connections that are there already.
  package func acceptAll() throws -> [Peer] {
    var peers: [Peer] = []
    while try Deadline(after: .zero).waitForAny(of: [descriptor.raw]) { peers.append(try accept()) }
    return peers
  }

  /// A connection; dropping it closes it.
  package final class Peer {
    private let descriptor: FileDescriptor

    fileprivate init(_ descriptor: consuming FileDescriptor) {
      self.descriptor = descriptor
    }

    /// Says something.
    package func write(_ text: String) throws(Errno) {
      try descriptor.writeAll(Array(text.utf8))
    }

    /// Whether the other end has closed it.
    package var isClosed: Bool {
      get throws(Errno) {
        var state = pollfd(fd: descriptor.raw, events: 0, revents: 0)
        _ = try systemCall { poll(&state, 1, 0) }
        return Int32(state.revents) & POLLHUP != 0
      }
    }

    /// What the other end has said that was not read yet.
    package func read() throws(Errno) -> String {
      do {
        try descriptor.setNonBlocking()
        return String(decoding: try descriptor.read(upTo: 65536), as: UTF8.self)
      } catch  where error == .wouldBlock {
        return ""
      }
    }
  }
}
