// SPDX-License-Identifier: MIT

import Glibc
import System
import Testing

@Suite("Errno")
struct ErrnoTests {
  @Test(
    "has the C name and the C library's text",
    arguments: [
      (Errno.noSuchFileOrDirectory, "ENOENT", "No such file or directory"),
      (.notPermitted, "EPERM", "Operation not permitted"),
      (.wouldBlock, "EAGAIN", "Resource temporarily unavailable"),
      (.brokenPipe, "EPIPE", "Broken pipe"),
      (.cancelled, "ECANCELED", "Operation canceled"),
      (Errno(rawValue: 4095), "errno 4095", "Unknown error 4095"),
    ])
  func texts(error: Errno, name: String, text: String) {
    #expect(error.name == name)
    #expect("\(error)" == text)
  }

  @Test("a call is made again for as long as a signal interrupts it")
  func interruption() throws {
    var calls = 0
    let value: Int32 = try systemCall {
      calls += 1
      errno = EINTR
      return calls < 4 ? -1 : 7
    }
    #expect(value == 7)
    #expect(calls == 4)
  }

  @Test("a failed call throws what errno says")
  func failure() {
    #expect(throws: Errno.noSpace) {
      let _: Int = try systemCall {
        errno = ENOSPC
        return -1
      }
    }
  }

  @Test("a path with a NUL in it never reaches the kernel")
  func nul() {
    var calls = 0
    #expect(throws: Errno.invalidArgument) {
      let _: Int32 = try systemCall(path: "/etc/passwd\0.row") { _ in
        calls += 1
        return 0
      }
    }
    #expect(calls == 0)
  }

  @Test("a descriptor that is not open is a bug and traps")
  func bug() async {
    await #expect(processExitsWith: .failure) {
      _ = try systemCall { fsync(-1) }
    }
  }
}
