// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

@Suite("DatagramSocket")
struct DatagramSocketTests {
  let directory: TemporaryDirectory
  var path: String { directory.path("socket") }

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("sends each datagram whole, to a path and to an abstract name")
  func sends() throws {
    for address in [path, "@\(path)"] {
      let receiver = try DatagramReceiver(address)
      let socket = try DatagramSocket(to: UnixAddress(address))
      try socket.send(Array("READY=1\nSTATUS=2 rows".utf8))
      try socket.send(Array("STOPPING=1".utf8))
      #expect(try receiver.all() == ["READY=1\nSTATUS=2 rows", "STOPPING=1"])
    }
  }

  @Test("does not wait for a receiver that reads nothing, and can be sent to once it has read")
  func full() throws {
    let receiver = try DatagramReceiver(path)
    let socket = try DatagramSocket(to: UnixAddress(path))
    var sent = 0
    let error = #expect(throws: Errno.self) {
      while true {
        try socket.send([UInt8(ascii: "x")])
        sent += 1
      }
    }
    #expect(error == .wouldBlock)
    var state = pollfd(fd: socket.raw, events: Int16(POLLOUT), revents: 0)
    #expect(try systemCall { poll(&state, 1, 0) } == 0)
    #expect(try receiver.all() == Array(repeating: "x", count: sent))
    #expect(try systemCall { poll(&state, 1, 0) } == 1)
    try socket.send([UInt8(ascii: "y")])
    #expect(try receiver.next() == "y")
  }

  @Test("reaches a receiver that came again")
  func again() throws {
    let first = try DatagramReceiver(path)
    let socket = try DatagramSocket(to: UnixAddress(path))
    try first.close()
    #expect(throws: Errno.noSuchFileOrDirectory) { try socket.send([1]) }
    let second = try DatagramReceiver(path)
    try socket.send(Array("again".utf8))
    #expect(try second.next() == "again")
  }

  @Test("says that a datagram is too long for any receiver")
  func tooLong() throws {
    let receiver = try DatagramReceiver(path)
    let socket = try DatagramSocket(to: UnixAddress(path))
    #expect(throws: Errno.messageTooLong) { try socket.send([UInt8](repeating: 0, count: 1 << 24)) }
    #expect(try receiver.all() == [])
  }

  @Test("needs a receiver to begin with")
  func nobody() throws {
    #expect(throws: Errno.noSuchFileOrDirectory) { _ = try DatagramSocket(to: UnixAddress(path)) }
  }

  @Test(
    "an address is an absolute path or an abstract name, without a NUL",
    arguments: ["", "/", "@", "run/notify", "vsock:2:1", "/run/\0notify", "@\0"])
  func noAddress(_ text: String) throws {
    #expect(throws: Errno.invalidArgument) { _ = try UnixAddress(text) }
  }

  @Test("an address is as long as the kernel has room for, and no longer")
  func length() throws {
    for (text, isTooLong) in [
      ("/" + String(repeating: "a", count: 106), false),
      ("/" + String(repeating: "a", count: 107), true),
      ("@" + String(repeating: "a", count: 107), false),
      ("@" + String(repeating: "a", count: 108), true),
    ] {
      if isTooLong {
        #expect(throws: Errno.nameTooLong) { _ = try UnixAddress(text) }
      } else {
        #expect(throws: Errno.self) { _ = try DatagramSocket(to: UnixAddress(text)) }
      }
    }
  }
}
