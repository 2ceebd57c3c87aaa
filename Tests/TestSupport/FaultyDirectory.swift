// SPDX-License-Identifier: MIT

import Glibc
package import System

/// A directory on a disk that fails when a test says so, as the program faults.c beside this file
/// tells: the kernel's own answers to real system calls. It ends with this object, or with the test
/// process, however that ends.
package final class FaultyDirectory {
  /// A step at which the disk may fail.
  package enum Step: String, CaseIterable, Sendable {
    case open, create, write, fsync, rename, fsyncdir, read
  }

  /// Where it is.
  package let path: String
  private let program: Program
  private let directory: TemporaryDirectory

  /// Makes the directory, empty and on a disk in order.
  package init() throws {
    directory = try TemporaryDirectory()
    program = try Program(
      [try FileSystemProgram.path("faults"), directory.path], hasInput: true)
    path = "/proc/\(program.processID)/root\(directory.path)"
    try program.waitForLine { $0 == "ready" }
  }

  /// Why there can't be one here; nil where there can.
  package static let obstacle: String? = {
    do {
      // Held until it has been looked into: it ends with its object.
      let directory = try FaultyDirectory()
      _ = try withExtendedLifetime(directory) { try Files.list(directory.path) }
      return nil
    } catch {
      return "\(error)"
    }
  }()

  /// From now on this step fails so; with nil no longer.
  package func fail(_ step: Step, _ error: Errno?) throws {
    try program.write("fail \(step.rawValue) \(error?.rawValue ?? 0)\n")
    try program.waitForLine { $0 == "ok" }
  }
}
