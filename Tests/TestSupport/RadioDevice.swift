// SPDX-License-Identifier: MIT

import Glibc
import System

/// A stand-in for /dev/rfkill with radios that a test makes: a file that speaks the kernel's
/// records, as the program radios.c beside this file tells.
///
///     @Suite(.serialized, .needsRadios) @MainActor struct …Tests {
///       let device = try RadioDevice()
///       let wifi = try device.add(.wlan)                   // a radio comes; its index
///       try stage.start(["--rfkill", device.path])         // toggled switches these
///       try device.rfkill("block", "wifi")                 // so does the rfkill program
///       try device.hard(wifi, .signal)                     // its hardware switch is off
///
/// It is in a mount namespace of its own, and this system's /dev is not touched; the file ends with
/// this object, or with the test process, however that ends. In a `Machine` it is /dev/rfkill
/// itself.
package final class RadioDevice {
  /// RFKILL_TYPE_WLAN and its kin.
  package enum RadioType: Int {
    case wlan = 1
    case bluetooth, uwb, wimax, wwan, gps, fm, nfc
  }

  /// RFKILL_HARD_BLOCK_SIGNAL and its kin.
  package enum HardBlock: Int {
    case none, signal, notOwner
  }

  /// Where the file is; within a machine, /dev/rfkill.
  package let path: String
  private let program: Program
  private let directory: TemporaryDirectory
  private let machine: Machine?

  /// Makes the device, without a radio.
  ///
  /// - Parameter machine: where to make it; of this system unless set.
  package init(in machine: Machine? = nil) throws {
    self.machine = machine
    directory = try TemporaryDirectory()
    let executable = try FileSystemProgram.path("radios")
    if let machine {
      // Not every machine has the programs of the build.
      let copy = machine.directory.path("radios")
      try Files.replace(copy, with: Files.read(executable, limit: 1 << 20), mode: 0o755)
      path = "/dev/rfkill"
      program = try machine.start([copy, "at", path], hasInput: true)
    } else {
      program = try Program([executable, "private", directory.path], hasInput: true)
      path = "/proc/\(program.processID)/root/dev/rfkill"
    }
    try program.waitForLine { $0 == "ready" }
  }

  /// Why there can't be one here; nil where there can.
  package static let obstacle: String? = {
    do {
      _ = try RadioDevice()
      return nil
    } catch {
      return "\(error)"
    }
  }()

  // MARK: Radios

  /// A radio comes; its index.
  ///
  /// - Parameter isSoftBlocked: as the class was last told to be unless set.
  @discardableResult
  package func add(
    _ type: RadioType, isSoftBlocked: Bool? = nil, hard: HardBlock = .none
  ) throws -> Int {
    let answer =
      if let isSoftBlocked {
        try tell("add \(type.rawValue) \(isSoftBlocked ? 1 : 0) \(hard.rawValue)")
      } else {
        try tell("add \(type.rawValue)")
      }
    guard let index = Int(answer) else { throw TestFailure("\(answer) is no index") }
    return index
  }

  /// A radio goes.
  package func remove(_ index: Int) throws {
    try tell("remove \(index)")
  }

  /// A radio is blocked by software, or no longer.
  package func soft(_ index: Int, _ isBlocked: Bool) throws {
    try tell("soft \(index) \(isBlocked ? 1 : 0)")
  }

  /// A radio is blocked by the hardware, or no longer.
  package func hard(_ index: Int, _ block: HardBlock) throws {
    try tell("hard \(index) \(block.rawValue)")
  }

  /// Gives one of the commands that radios.c lists; the answer.
  @discardableResult
  package func tell(_ command: String) throws -> String {
    try program.write("\(command)\n")
    let answer = try program.waitForLine { _ in true }
    if answer == "failed" { throw TestFailure("\(command): \(program.text(.error))") }
    return answer
  }

  /// How many descriptors of this process are open on the device.
  package func openings() throws -> Int {
    // A file system of its own, with nothing else in it.
    let device = try Files.status(path).device
    return try Files.list("/proc/self/fd").count {
      (try? Files.status("/proc/self/fd/\($0)"))?.device == device
    }
  }

  // MARK: The rfkill program

  /// Starts the program rfkill(8) on this device, which lasts while a write is held up.
  package func startRfkill(_ arguments: String...) throws -> Program {
    try Program(inside + ["rfkill"] + arguments)
  }

  /// Runs the program rfkill(8) on this device; what it printed.
  @discardableResult
  package func rfkill(_ arguments: String...) throws -> String {
    let outcome =
      if let machine {
        try machine.run(["rfkill"] + arguments)
      } else {
        try Program.run(inside + ["rfkill"] + arguments)
      }
    guard outcome.status.isSuccess else {
      throw TestFailure("rfkill \(arguments.joined(separator: " ")): \(outcome.error)")
    }
    return outcome.output
  }

  /// What rfkill(8) says of each radio, by its index: first of software and then of hardware, as
  /// in `blocked unblocked`.
  package func blocks() throws -> [Int: String] {
    let text = try rfkill("--noheadings", "--raw", "--output", "ID,SOFT,HARD")
    var blocks: [Int: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2, let index = Int(parts[0]) { blocks[index] = String(parts[1]) }
    }
    return blocks
  }

  /// What a program is to be started with so that the device is its /dev/rfkill.
  private var inside: [String] { ["nsenter", "--mount", "--target", "\(program.processID)", "--"] }
}
