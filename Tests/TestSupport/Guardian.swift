// SPDX-License-Identifier: MIT

import Glibc
import System

/// Sees to it that no program of a test outlives the test process, however that ends.
///
/// A shell in a session of its own reads from a pipe which groups live, and kills those that are
/// left when the pipe's other end closes: this process holds the only one. PR_SET_PDEATHSIG would
/// not do, for it fires when the *thread* that started the child ends, and the tests' threads come
/// and go.
struct Guardian: Sendable {
  static let shared: Result<Guardian, Errno> = {
    do throws(Errno) {
      return .success(try Guardian())
    } catch {
      return .failure(error)
    }
  }()

  private let descriptor: Int32

  private init() throws(Errno) {
    let script = """
      groups=' '
      while read -r verb group; do
        case $verb in
          add) groups="$groups$group " ;;
          drop) groups="${groups%%" $group "*} ${groups#*" $group "}" ;;
        esac
      done
      for group in $groups; do kill -s KILL -- "-$group"; done
      """
    var pipe = try Pipe()
    guard let reader = pipe.reader.take(), let writer = pipe.writer.take() else {
      throw .invalidArgument
    }
    _ = try ChildProcess.spawn(
      arguments: ["/bin/sh", "-c", script], group: .session,
      input: .descriptor(reader.raw), output: .null, error: .null)
    descriptor = writer.release()
    // A program may end before it has read all that a test writes to it.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Must come before the group can have done anything that matters.
  func add(_ group: Int32) throws(Errno) {
    try tell("add \(group)\n")
  }

  /// Must come before the group's leader is reaped: after that the number may be anyone's.
  func drop(_ group: Int32) {
    try? tell("drop \(group)\n")
  }

  /// A line this short is written whole, whatever other threads write.
  private func tell(_ line: String) throws(Errno) {
    let bytes = Array(line.utf8)
    _ = try systemCall { write(descriptor, bytes, bytes.count) }
  }
}
