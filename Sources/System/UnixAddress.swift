// SPDX-License-Identifier: MIT

package import Glibc

/// Where a socket of this machine is: unix(7). A path, or an abstract name that begins with `@`.
package struct UnixAddress: Sendable {
  private let bytes: [UInt8]

  /// `.invalidArgument` for a text that is neither an absolute path nor an abstract name, or that
  /// has a NUL in it; `.nameTooLong` for one that the kernel has no room for.
  package init(_ text: String) throws(Errno) {
    var bytes = Array(text.utf8)
    guard bytes.count > 1, !bytes.contains(0) else { throw .invalidArgument }
    switch bytes[0] {
    case UInt8(ascii: "@"): bytes[0] = 0
    case UInt8(ascii: "/"): bytes.append(0)
    default: throw .invalidArgument
    }
    guard bytes.count <= MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
      throw .nameTooLong
    }
    self.bytes = bytes
  }

  /// Makes a call that takes the address and its length, such as connect(2) or bind(2).
  package func call(
    _ function: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(Errno) {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    // Of an abstract name every byte counts, so that its length has to be exact.
    let length = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + bytes.count } ?? 0
    _ = try withUnsafePointer(to: &name) { pointer throws(Errno) in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address throws(Errno) in
        try systemCall { function(address, socklen_t(length)) }
      }
    }
  }
}
