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

  /// Listens at `path`.
  package init(_ path: String) throws {
    self.path = path
    address = "unix:path=\(path)"
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = FileDescriptor(adopting: try systemCall { socket(AF_UNIX, type, 0) })
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: name.sun_path) else {
      throw TestFailure("\(path) is too long for a socket")
    }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let raw = descriptor.raw
    _ = try withUnsafePointer(to: &name) { pointer throws(Errno) in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address throws(Errno) in
        try systemCall { bind(raw, address, socklen_t(MemoryLayout<sockaddr_un>.size)) }
      }
    }
    _ = try systemCall { listen(raw, 16) }
  }

  deinit {
    unlink(path)
  }

  /// The next connection, which has to be there already.
  package func accept() throws(Errno) -> Peer {
    let raw = descriptor.raw
    return Peer(FileDescriptor(adopting: try systemCall { Glibc.accept(raw, nil, nil) }))
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

    /// What the other end has said that was not read yet.
    package func read() throws(Errno) -> String {
      String(decoding: try descriptor.read(upTo: 65536), as: UTF8.self)
    }
  }
}
