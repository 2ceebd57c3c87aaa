// SPDX-License-Identifier: MIT

import System
import TestSupport

/// A program in a machine that runs until it is ended, and tells when it starts.
struct Sleeper {
  private let machine: Machine
  private let directory: TemporaryDirectory
  /// What starts it.
  let command: String
  /// Where its number comes out, inside, once for each start.
  private let starts: String
  private let number: String

  init(_ name: String, in machine: Machine) throws {
    self.machine = machine
    directory = try TemporaryDirectory(in: machine.directory.path)
    command = directory.path(name)
    (starts, number) = ("\(command).starts", "\(command).number")
    try machine.succeed("mkfifo", starts)
    try directory.write(
      "#!/bin/sh\necho $$ >\(number)\necho here >\(starts)\nexec sleep 600\n", to: name,
      mode: 0o755)
  }

  /// Returns once it has started.
  func waitForStart() throws {
    try machine.succeed("sh", "-c", "read here <\(starts)")
  }

  /// Whether it runs, once it has started.
  var isRunning: Bool {
    get throws {
      try machine.run(["pgrep", "--pidfile", number]).status.isSuccess
    }
  }

  /// Returns once it has ended.
  func waitForEnd() throws {
    // It fails where there is nothing to wait for any more.
    try machine.run(["pidwait", "--pidfile", number])
  }
}
