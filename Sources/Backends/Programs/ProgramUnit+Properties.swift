// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System

extension ProgramUnit {
  /// What StartTransientUnit is told of a program: systemd.service(5), systemd.exec(5).
  ///
  /// There are limits and no sandbox: the program does what an administrator wrote into a row, with
  /// root's rights, and each directive that would bind it breaks one that is honest. `mount` needs
  /// the machine's own mounts, `sudo` new privileges, a firewall its netlink sockets, the kernel
  /// its modules.
  static func properties(
    of program: ProgramRequest, boundTo ownUnit: String?, input: Value, output: Value, error: Value
  ) -> [(String, Value)] {
    let shell = Value.structure([.string("/bin/sh"), .strings(["sh"]), .boolean(false)])
    var properties: [(String, Value)] = [
      (
        "Description",
        .string("\(program.purpose.role.rawValue) of row \(program.purpose.row) of toggled")
      ),
      ("ExecStart", .array(of: shell.type, [shell])),
      ("StandardInputFileDescriptor", input),
      ("StandardOutputFileDescriptor", output),
      ("StandardErrorFileDescriptor", error),
      ("Environment", .strings(assignments(program.environment))),
      // What systemd adds of its own accord.
      (
        "UnsetEnvironment",
        .strings(
          ["INVOCATION_ID", "LANG", "LANGUAGE", "SYSTEMD_EXEC_PID"].filter {
            program.environment[$0] == nil
          })
      ),
      ("IgnoreSIGPIPE", .boolean(false)),
      ("AddRef", .boolean(true)),
      ("CollectMode", .string("inactive-or-failed")),
      ("TimeoutStopUSec", .uint64(microseconds(program.grace))),
      // A program that says no is no failure, and one that starts no news: rows tell of both.
      (
        "SuccessExitStatus",
        .structure([.array(of: .int32, (1...255).map { .int32($0) }), .array(of: .int32, [])])
      ),
      ("LogLevelMax", .int32(LOG_NOTICE)),
      ("TasksMax", .uint64(256)),
      ("MemoryMax", .uint64(1 << 30)),
      ("LimitNOFILE", .uint64(4096)),
    ]
    if let timeout = program.timeout {
      // Should the daemon not be able to end it.
      properties.append(("RuntimeMaxUSec", .uint64(microseconds(timeout + startTime))))
    }
    if let ownUnit { properties.append(("StopPropagatedFrom", .strings([ownUnit]))) }
    return properties
  }

  /// What the unit's shell reads: it becomes the program.
  ///
  /// The program's words are no part of the unit, for that is written into a file, which a reload
  /// before the start has systemd read: version 252 reads other words out of it, where they have
  /// a `$` or a `;`.
  static func script(of program: ProgramRequest, path: String) -> String {
    var words = program.arguments
    // By its name, so that it calls itself so; but not where that would be an option.
    if words[0].hasPrefix("-") { words[0] = path }
    let quoted = words.map { "'\($0.replacing("'", with: "'\\''"))'" }
    // What some shells add to the environment.
    return "unset OLDPWD PWD SHLVL\nexec \(quoted.joined(separator: " ")) </dev/null\n"
  }

  /// A descriptor that is to be passed on.
  static func value(_ descriptor: consuming FileDescriptor) -> Value {
    .unixDescriptor(UnixDescriptor(adopting: descriptor.release()) { _ = close($0) })
  }

  /// The variables that systemd takes; it refuses all of them for one that it does not.
  private static func assignments(_ environment: [String: String]) -> [String] {
    environment.filter { name, value in
      let isName = name.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
      let isPlain = value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == 0x09 }
      return isName && isPlain && name.utf8.first.map { $0 > UInt8(ascii: "9") } ?? false
    }.map { "\($0.key)=\($0.value)" }.sorted()
  }

  private static func microseconds(_ duration: Duration) -> UInt64 {
    UInt64(max(0, duration / .microseconds(1)))
  }
}

extension ProgramUnit {
  /// What is known of the unit.
  struct Facts {
    private(set) var result = ""
    private var code: Int64 = 0
    private var number: Int64 = 0
    private var activeState = ""
    private var hasJob = true

    /// How the program ended; nil before, and where it never began.
    var status: ExitStatus? {
      switch Int32(truncatingIfNeeded: code) {
      case 0: nil
      case Int32(CLD_EXITED): .exited(Int32(truncatingIfNeeded: number))
      default: .signalled(Int32(truncatingIfNeeded: number))
      }
    }

    /// Whether nothing runs in the unit, nor is to.
    var isOver: Bool { !hasJob && (activeState == "inactive" || activeState == "failed") }

    /// Takes what PropertiesChanged, or the answer of GetAll, says: a hundred things besides.
    mutating func take(_ message: Message, hasInterface: Bool) throws(DBusError) {
      try message.withReader { (reader: inout Reader) throws(DBusError) in
        if hasInterface { _ = try reader.readString() }
        try reader.readDictionary { entry throws(DBusError) in
          switch try entry.readString() {
          case "Result": result = try entry.readValue().unwrapped.asString ?? ""
          case "ExecMainCode": code = try entry.readValue().unwrapped.asInteger ?? 0
          case "ExecMainStatus": number = try entry.readValue().unwrapped.asInteger ?? 0
          case "ActiveState": activeState = try entry.readValue().unwrapped.asString ?? ""
          case "Job":
            // Its number is 0 where there is none.
            if case .structure(let job) = try entry.readValue().unwrapped {
              hasJob = job.first?.asInteger != 0
            }
          default: entry.skip()
          }
        }
      }
    }
  }
}
