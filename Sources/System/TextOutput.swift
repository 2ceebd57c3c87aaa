// SPDX-License-Identifier: MIT

import Glibc

/// Why text did not get out.
package enum OutputError: Error, Hashable, Sendable {
  /// The reader is gone (EPIPE). Met only where SIGPIPE is ignored or blocked.
  case closed
  /// What the kernel said, such as ENOSPC on a full disk, or EBADF where nobody opened it.
  case failed(Errno)
}

extension OutputError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .closed: "nobody reads the output any more"
    case .failed(let error): "\(error)"
    }
  }
}

/// Writes text to a descriptor that someone else opened, with no buffer of its own: each call is
/// one write(2), so lines of several writers do not mix and nothing is left behind at exit.
/// Blocks while a pipe or a terminal is full, also when the descriptor is non-blocking.
package struct TextOutput: Sendable {
  /// The descriptor's number, which this neither owns nor closes.
  package let descriptor: Int32

  package init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Whether a person reads it: isatty(3).
  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Writes the text as it is.
  package func write(_ text: String) throws(OutputError) {
    var rest = ArraySlice(text.utf8)
    while !rest.isEmpty {
      do throws(Errno) {
        rest = rest.dropFirst(try writeOnce(to: descriptor, rest, isOurs: false))
      } catch .wouldBlock {
        try waitUntilWritable()
      } catch .brokenPipe {
        throw .closed
      } catch {
        throw .failed(error)
      }
    }
  }

  /// Writes the text and a newline, in one write(2).
  package func writeLine(_ text: String) throws(OutputError) {
    try write(text + "\n")
  }

  /// Writes the text as far as it is taken at once, and throws `.failed(.wouldBlock)` where the
  /// rest would have to wait for a reader. For logs: who serves others can't wait for whoever
  /// reads what it says. A text of at most PIPE_BUF bytes goes whole or not at all.
  package func writeWithoutWaiting(_ text: String) throws(OutputError) {
    var rest = ArraySlice(text.utf8)
    while !rest.isEmpty {
      // A pipe that is said to be writable takes this much; see pipe(7) and poll(2).
      let part = rest.prefix(Int(PIPE_BUF))
      do throws(Errno) {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard try systemCall({ poll(&wanted, 1, 0) }) > 0 else { throw .wouldBlock }
        rest = rest.dropFirst(try writeOnce(to: descriptor, part, isOurs: false))
      } catch .brokenPipe {
        throw .closed
      } catch {
        throw .failed(error)
      }
    }
  }

  /// Whoever started us may have left the descriptor non-blocking; it is theirs to change back.
  private func waitUntilWritable() throws(OutputError) {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    do throws(Errno) {
      _ = try systemCall { poll(&wanted, 1, -1) }
    } catch {
      throw .failed(error)
    }
  }
}

/// Descriptor 1.
package enum StandardOutput {
  /// Whether a person reads it: isatty(3).
  package static var isTerminal: Bool { output.isTerminal }

  /// Writes the text as it is, in one write(2).
  package static func write(_ text: String) throws(OutputError) { try output.write(text) }

  /// Writes the text and a newline, in one write(2).
  package static func writeLine(_ text: String) throws(OutputError) { try output.writeLine(text) }

  private static let output = TextOutput(descriptor: STDOUT_FILENO)
}

/// Descriptor 2.
package enum StandardError {
  /// Whether a person reads it: isatty(3).
  package static var isTerminal: Bool { output.isTerminal }

  /// Writes the text as it is, in one write(2).
  package static func write(_ text: String) throws(OutputError) { try output.write(text) }

  /// Writes the text and a newline, in one write(2).
  package static func writeLine(_ text: String) throws(OutputError) { try output.writeLine(text) }

  /// Writes the text as far as it is taken at once.
  package static func writeWithoutWaiting(_ text: String) throws(OutputError) {
    try output.writeWithoutWaiting(text)
  }

  private static let output = TextOutput(descriptor: STDERR_FILENO)
}
