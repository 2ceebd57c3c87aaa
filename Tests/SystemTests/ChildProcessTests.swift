// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

@Suite("ChildProcess")
struct ChildProcessTests {
  /// What a child writes, and how it ends.
  private func run(
    _ arguments: [String], environment: [String: String]? = nil, directory: String? = nil,
    group: ChildProcess.Group = .inherited, input: ChildProcess.Stream = .null
  ) throws -> (status: System.ExitStatus, output: String) {
    var pipe = try Pipe()
    let child = try ChildProcess.spawn(
      arguments: arguments, environment: environment, directory: directory, group: group,
      input: input, output: .descriptor(pipe.writeEnd))
    pipe.writer = nil
    var bytes: [UInt8] = []
    while let part = try pipe.reader?.read(upTo: 4096), !part.isEmpty { bytes += part }
    return (try child.wait(), String(decoding: bytes, as: UTF8.self))
  }

  @Test("tells how it ended")
  func status() throws {
    #expect(try run(["sh", "-c", "exit 0"]).status.isSuccess)
    #expect(try run(["sh", "-c", "exit 77"]).status == .exited(77))
    #expect(try run(["sh", "-c", "kill -s TERM $$"]).status == .signalled(SIGTERM))
    #expect("\(System.ExitStatus.exited(2))" == "exited with status 2")
    #expect("\(System.ExitStatus.signalled(9))" == "was killed by signal 9")
  }

  @Test("gets its arguments, its environment and its directory, and nothing more")
  func surroundings() throws {
    let directory = try TemporaryDirectory()
    let script = "printf '%s|' \"$@\"; pwd; env"
    let (_, output) = try run(
      ["/bin/sh", "-c", script, "name", "a b", "", "ñ"],
      environment: ["A": "1=2", "PATH": "/usr/bin:/bin"], directory: directory.path)
    let lines = Set(output.split(separator: "\n").map(String.init))
    #expect(
      lines.isSuperset(of: ["a b||ñ|\(directory.path)", "A=1=2", "PATH=/usr/bin:/bin"]))
    #expect(!lines.contains { $0.hasPrefix("HOME=") })
    // Without an environment of its own it has ours.
    let inherited = try run(["sh", "-c", "printf %s \"$PATH\""]).output
    #expect(inherited == Environment.value("PATH"))
  }

  @Test("is looked for in its own PATH")
  func lookup() throws {
    let directory = try TemporaryDirectory()
    try directory.write("#!/bin/sh\necho found\n", to: "tool", mode: 0o755)
    #expect(try run(["tool"], environment: ["PATH": directory.path]).output == "found\n")
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try run(["tool"], environment: ["PATH": "/nowhere"])
    }
    #expect(try run(["true"], environment: [:]).status.isSuccess)
  }

  @Test("what can't run is an error of the start")
  func failures() throws {
    let directory = try TemporaryDirectory()
    let text = try directory.write("no program", to: "text", mode: 0o644)
    let binary = try directory.write("\u{1}\u{2}", to: "binary", mode: 0o755)
    #expect(throws: Errno.noSuchFileOrDirectory) { try run([directory.path("gone")]) }
    #expect(throws: Errno.permissionDenied) { try run([text]) }
    #expect(throws: Errno.notExecutableFormat) { try run([binary]) }
    #expect(throws: Errno.invalidArgument) { try run([]) }
    #expect(throws: Errno.invalidArgument) { try run(["/bin/echo", "a\0b"]) }
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try run(["/bin/true"], directory: directory.path("gone"))
    }
  }

  @Test("starts with no signal blocked or ignored")
  func signals() throws {
    var set = sigset_t()
    sigfillset(&set)
    var old = sigset_t()
    pthread_sigmask(SIG_BLOCK, &set, &old)
    defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
    signal(SIGPIPE, SIG_IGN)
    let output = try run(["cat", "/proc/self/status"]).output
    // 32 and 33 are the C library's own, which no program uses.
    let own: UInt64 = 0x1_8000_0000
    for field in ["SigBlk", "SigIgn"] {
      let line = try #require(output.split(separator: "\n").first { $0.hasPrefix(field) })
      let bits = try #require(UInt64(line.dropFirst(field.count + 2), radix: 16))
      #expect(bits & ~own == 0, "\(line)")
    }
  }

  @Test("has its three streams and no other descriptor")
  func descriptors() throws {
    let leaky = open("/dev/null", O_RDONLY)
    defer { close(leaky) }
    let output = try run(["sh", "-c", "echo /proc/self/fd/*; exec readlink /proc/self/fd/0"]).output
    // The shell's own reading of the directory is the one that comes on top.
    let lines = output.split(separator: "\n")
    #expect(
      lines.first == "/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3")
    #expect(lines.last == "/dev/null")
  }

  @Test("a stream may be a copy of one of our own three")
  func ownStreams() throws {
    var target = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/fd/2", &target, target.count)
    let expected = String(
      decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    #expect(
      try run(["readlink", "/proc/self/fd/0"], input: .descriptor(2)).output == "\(expected)\n")
  }

  @Test("has the group or the session that was asked for")
  func groups() throws {
    let script = "read -r pid name state parent group session rest </proc/$$/stat; "
    let test = "[ \"$group\" = $$ ] && echo group; [ \"$session\" = $$ ] && echo session; true"
    let table: [(ChildProcess.Group, String)] = [
      (.inherited, ""), (.own, "group\n"), (.session, "group\nsession\n"),
    ]
    for (group, expected) in table {
      #expect(try run(["sh", "-c", script + test], group: group).output == expected)
    }
  }

  @Test("can be asked, signalled and waited for through its descriptor")
  func control() throws {
    let child = try ChildProcess.spawn(
      arguments: ["sleep", "600"], group: .own, error: .null)
    #expect(try child.poll() == nil)
    try child.signalGroup(SIGTERM)
    #expect(try child.wait() == .signalled(SIGTERM))
    #expect(throws: Errno.noSuchProcess) { try child.signal(SIGTERM) }
    #expect(throws: Errno.noChildProcess) { try child.poll() }
  }
}
