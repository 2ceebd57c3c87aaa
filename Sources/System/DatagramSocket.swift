// SPDX-License-Identifier: MIT

import Glibc

/// Sends datagrams to one receiver on this machine, and never waits for it: what sd_notify(3) and
/// sd_journal_sendv(3) do, but for their blocking when the receiver is stuck.
package struct DatagramSocket: ~Copyable, Sendable {
  private let descriptor: FileDescriptor
  private let receiver: UnixAddress

  /// A socket that sends to the receiver at this address, which has to be there.
  package init(to receiver: UnixAddress) throws(Errno) {
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = FileDescriptor(adopting: try systemCall { socket(AF_UNIX, type, 0) })
    let raw = descriptor.raw
    try receiver.call { connect(raw, $0, $1) }
    self.descriptor = descriptor
    self.receiver = receiver
  }

  /// The descriptor's number, to be watched while this value lives: it is writable once the
  /// receiver has room.
  package var raw: Int32 { descriptor.raw }

  /// Sends the bytes as one datagram. Whoever listens at the address by now gets it, also when
  /// that is not who did at first.
  ///
  /// `.wouldBlock` when the receiver has no room, `.messageTooLong` for more than it can ever have,
  /// `.connectionRefused` or `.noSuchFileOrDirectory` when nobody listens.
  package func send(_ bytes: [UInt8]) throws(Errno) {
    do throws(Errno) {
      try sendOnce(bytes)
    } catch .connectionRefused {
      try sendAfresh(bytes)
    } catch .notConnected {
      try sendAfresh(bytes)
    }
  }

  private func sendAfresh(_ bytes: [UInt8]) throws(Errno) {
    let raw = descriptor.raw
    try receiver.call { connect(raw, $0, $1) }
    try sendOnce(bytes)
  }

  private func sendOnce(_ bytes: [UInt8]) throws(Errno) {
    _ = try systemCall {
      bytes.withUnsafeBytes {
        Glibc.send(descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
    }
  }
}
