// SPDX-License-Identifier: MIT

import Backends
import DBus
import DBusTypes
import EventLoop
import Glibc
import Settings
import System
import TestSupport
import Testing

@MainActor
@Suite("a program that a backend runs")
struct ProgramRunnerTests {
  private let stage: Stage
  private let runner: ProgramRunner
  private let purpose = ProgramPurpose(.state, of: "lamp")

  init() throws {
    stage = try Stage()
    runner = ProgramRunner(
      loop: stage.loop,
      environment: [
        "PATH": "/nonexistent", "LANGUAGE": "es", "LC_ALL": "es_ES.UTF-8", "HOME": "/home/ada",
        "WAYLAND_DISPLAY": "wayland-1", "NOTIFY_SOCKET": "/run/notify", "LISTEN_FDS": "1",
      ])
  }

  private func run(
    _ arguments: [String], timeout: Duration = patience
  ) throws -> Result<ProgramResult, Problem> {
    try stage.run(arguments, by: runner, for: purpose, timeout: timeout)
  }

  private func shell(
    _ script: String, timeout: Duration = patience
  ) throws -> ProgramResult {
    try run(["sh", "-c", script, "sh", stage.directory.path], timeout: timeout).get()
  }

  private func text(_ result: ProgramResult) -> String {
    String(decoding: result.output, as: UTF8.self).split(separator: "\n").joined(separator: "\n")
  }

  private func failure(
    _ arguments: [String], timeout: Duration = patience
  ) throws -> Problem {
    try run(arguments, timeout: timeout).failure()
  }

  /// The number of the process that a script has noted so.
  private func processID(in name: String) throws -> Int32 {
    try #require(Int32(stage.awaitFile(name).dropLast()))
  }

  /// Shell text that notes the number of a process in a file of the stage's directory, $1.
  private func note(_ number: String, in name: String) -> String {
    "echo \(number) >$1/\(name).new; mv $1/\(name).new $1/\(name); "
  }

  // MARK: What it is given

  @Test("has a fixed PATH and language, and what its session needs")
  func environment() throws {
    let result = try run(["env"]).get()
    #expect(
      Set(text(result).split(separator: "\n")) == [
        "PATH=\(ProgramRunner.searchPath)", "LC_ALL=C.UTF-8",
        "HOME=/home/ada", "WAYLAND_DISPLAY=wayland-1",
      ])
  }

  @Test("gets its arguments as they are: no shell looks at them")
  func arguments() throws {
    let words = ["$HOME", "*", "a b", "`id`", ";", "", "ä\n"]
    let result = try run(["printf", "[%s]"] + words).get()
    #expect(String(decoding: result.output, as: UTF8.self) == words.map { "[\($0)]" }.joined())
  }

  @Test("reads nothing, starts in / and has no other descriptor")
  func streams() throws {
    let result = try shell("cat; pwd; ls /proc/self/fd")
    // The last is the directory that ls reads.
    #expect(text(result).split(separator: "\n") == ["/", "0", "1", "2", "3"])
  }

  // MARK: What it leaves

  @Test("leaves its exit status, and both of its streams")
  func result() throws {
    let result = try shell("echo out; echo err >&2; exit 3")
    #expect(result.status == .exited(3))
    #expect(text(result) == "out")
    #expect(result.end == "exited with status 3: err")
  }

  @Test("may write nothing, no newline, no UTF-8 and NULs")
  func anyBytes() throws {
    #expect(try shell("").output.isEmpty)
    #expect(text(try shell("printf on")) == "on")
    let result = try shell("printf '\\377\\000x'; printf 'a\\000\\033[1m\\377' >&2")
    #expect(result.output == [0xff, 0, UInt8(ascii: "x")])
    #expect(result.end == "exited with status 0: a [1m\u{fffd}")
  }

  @Test("may write a megabyte on each stream: what is past 64 KiB is dropped, and it never waits")
  func huge() throws {
    let result = try shell("head -c 1048576 /dev/zero; head -c 1048576 /dev/zero >&2; exit 5")
    #expect(result.status == .exited(5))
    #expect(result.output.count == 65536)
    #expect(result.error.count == 65536)
  }

  @Test("may close its output long before it ends")
  func closesEarly() throws {
    let result = try shell("echo said; exec >&- 2>&-; sleep 0.2; exit 4")
    #expect(result.status == .exited(4))
    #expect(text(result) == "said")
  }

  @Test("that a signal ends is said to be so")
  func signalled() throws {
    let result = try shell("kill -s KILL $$")
    #expect(result.status == .signalled(SIGKILL))
    #expect(result.end == "was killed by signal 9")
  }

  // MARK: What can't be run

  @Test("that is not there is named, with where it was looked for")
  func missing() throws {
    let failure = try failure(["no-such-program"])
    #expect(failure.reason == .notFound)
    #expect(
      failure.text == "there is no program no-such-program in \(ProgramRunner.searchPath); "
        + "install it, or give its path")
    #expect(
      try self.failure(["/no/such/program"]).text == "there is no program /no/such/program")
  }

  @Test("that may not be executed, or is no program, is named")
  func notExecutable() throws {
    let plain = try stage.directory.write("#!/bin/sh\n", to: "plain")
    #expect(try failure([plain]).reason == .noAccess)
    let garbage = try stage.directory.write("\u{1}\u{2}", to: "garbage", mode: 0o755)
    #expect(try failure([garbage]).reason == .failed)
    let script = try stage.directory.write("#!/no/such/shell\n", to: "script", mode: 0o755)
    #expect(
      try failure([script]).text
        == "can't run \(script): the program on its first line is missing")
  }

  // MARK: What ends it

  @Test("that takes too long is ended, with all of its group, even if it ignores SIGTERM")
  func hangs() throws {
    let script =
      "trap '' TERM; sleep 600 & \(note("$!", in: "child"))\(note("$$", in: "leader"))wait"
    var answer: Result<ProgramResult, Problem>?
    let run = runner.run(
      ["sh", "-c", script, "sh", stage.directory.path], for: purpose, timeout: .milliseconds(100)
    ) { answer = $0 }
    // Its time is not over before it has come so far.
    try stage.loop.turn(atMost: .zero)
    try stage.awaitFile("leader", on: EventLoop())
    try stage.turn("the end of its time") { answer != nil }
    #expect(answer == .failure(Problem(.timeout, "sh did not end within 0.1 s")))
    withExtendedLifetime(run) {}
    for name in ["leader", "child"] { try stage.awaitEnd(ofProcessIn: name) }
  }

  @Test("that ends while a child of its holds the pipe does not keep anyone waiting")
  func grandchild() throws {
    let result = try shell("(sleep 600; echo late) & \(note("$!", in: "child"))echo on")
    #expect(result.status == .exited(0))
    #expect(text(result) == "on")
    try stage.awaitEnd(ofProcessIn: "child")
    // Nothing of it is left that keeps the loop busy: no pipe, no child.
    #expect(try stage.isQuiet())
  }

  @Test("that has a session of its own goes on, and its output is not waited for")
  func ownSession() throws {
    let script =
      "setsid sh -c '\(note("$$", in: "child"))exec sleep 600' sh $1 & "
      + "while ! [ -s $1/child ]; do sleep 0.01; done"
    #expect(try shell(script).status == .exited(0))
    let child = try processID(in: "child")
    #expect(kill(child, 0) == 0)
    kill(child, SIGKILL)
  }

  @Test("that nobody wants any more is ended, and nobody is told")
  func cancelled() throws {
    var answers = 0
    var run: ProgramRun? = runner.run(
      ["sh", "-c", note("$$", in: "leader") + "exec sleep 600", "sh", stage.directory.path],
      for: purpose,
      timeout: patience
    ) { _ in answers += 1 }
    let leader = try processID(in: "leader")
    withExtendedLifetime(run) {}
    run = nil
    let never = stage.directory.path("never")
    _ = runner.run(["touch", never], for: purpose, timeout: patience) { _ in answers += 1 }
    // It has to be reaped for that.
    try stage.turn("the end of the program") { kill(leader, 0) != 0 }
    #expect(answers == 0)
    #expect(!Files.exists(never))
  }

  @Test("waits for its turn while eight others run, unless it is for a flip")
  func queue() throws {
    // However slow this machine is, none is taken for one that hangs.
    let runner = ProgramRunner(loop: stage.loop, placeTime: patience * 2)
    let script = "echo >$1/$2; until [ -e $1/go ]; do sleep 0.01; done"
    var ended = 0
    var runs = (0..<12).map { number in
      runner.run(
        ["sh", "-c", script, "sh", stage.directory.path, "started-\(number)"], for: purpose,
        timeout: patience
      ) { _ in ended += 1 }
    }
    func started() -> Int {
      let names = (try? Files.list(stage.directory.path)) ?? []
      return names.count { $0.hasPrefix("started") }
    }
    let watch = try stage.loop.directory(stage.directory.path) { _ in }
    try stage.turn("eight") { started() == 8 }
    var isFlipped = false
    runs.append(
      runner.run(["true"], for: purpose, timeout: patience, urgent: true) { _ in isFlipped = true })
    try stage.turn("the flip") { isFlipped }
    #expect(started() == 8)
    #expect(ended == 0)
    try stage.directory.write("", to: "go")
    try stage.turn("all") { ended == 12 }
    #expect(started() == 12)
    withExtendedLifetime((runs, watch)) {}
  }

  @Test("does not wait for those that hang, unless they are very many")
  func hanging() throws {
    let runner = ProgramRunner(loop: stage.loop, limit: 2, placeTime: .milliseconds(1))
    func hang() -> ProgramRun {
      runner.run(["sleep", "600"], for: purpose, timeout: .seconds(600)) { _ in }
    }
    func endsAmong(_ others: [ProgramRun]) throws {
      var isEnded = false
      let run = runner.run(["true"], for: purpose, timeout: patience) { _ in isEnded = true }
      try stage.turn("the end of one behind \(others.count) that hang") { isEnded }
      withExtendedLifetime(run) {}
    }
    var runs = (0..<15).map { _ in hang() }
    try endsAmong(runs)
    // Sixteen are eight times the limit. The next has to wait for one of them to go.
    runs.append(hang())
    var isStarted = false
    let run = runner.run(["true"], for: purpose, timeout: patience) { _ in isStarted = true }
    var isFlipped = false
    let flip = runner.run(["true"], for: purpose, timeout: patience, urgent: true) { _ in
      isFlipped = true
    }
    try stage.turn("the flip") { isFlipped }
    #expect(!isStarted)
    runs.removeLast()
    try stage.turn("the end of one in the place of one that hung") { isStarted }
    withExtendedLifetime((runs, run, flip)) {}
  }

  @Test("is the daemon's child where no systemd is on the bus, and waits for one that was there")
  func withoutSystemd() throws {
    let bus = try PrivateBus()
    let link = BusLink(.system, at: .address(bus.address), on: stage.loop, notice: stage.note)
    let runner = ProgramRunner(loop: stage.loop, through: link)
    func run(_ timeout: Duration) throws -> Result<ProgramResult, Problem> {
      try stage.run(["sh", "-c", "echo $PPID"], by: runner, for: purpose, timeout: timeout)
    }
    #expect(text(try run(patience).get()) == "\(getpid())")

    // One that comes, and hangs.
    let systemd = try Connection(.address(bus.address))
    _ = try systemd.requestName("org.freedesktop.systemd1")
    var owner: BusName?
    var watch: NameWatch?
    // On the connection that the runner hears of it by.
    link.reach(within: patience) { outcome in
      watch = (try? outcome.get())?.calls.connection.watchName("org.freedesktop.systemd1") {
        owner = $0
      }
    }
    try stage.turn("the name") { owner != nil }
    let hanging = try run(.milliseconds(100))
    #expect(hanging == .failure(Problem(.timeout, "can't run sh: systemd does not start it")))

    systemd.close()
    try stage.turn("the end of the name") { owner == nil }
    let gone = try run(.milliseconds(100))
    #expect(gone == .failure(Problem(.noService, "can't run sh: systemd is not on the bus")))
    withExtendedLifetime(watch) {}
  }

  @Test(
    "is ended with the daemon, whether it cleans up or is deaf, and none is started any more",
    arguments: [("echo >$1/cleaned; exit", patience), ("", .milliseconds(100))])
  func finish(trap: String, grace: Duration) throws {
    let runner = ProgramRunner(loop: stage.loop, grace: grace)
    let script = "trap '\(trap)' TERM; \(note("$$", in: "here"))while :; do sleep 0.01; done"
    let run = runner.run(
      ["sh", "-c", script, "sh", stage.directory.path], for: purpose, timeout: patience
    ) { _ in }
    let number = try processID(in: "here")
    runner.finish()
    // What it has to kill may end a moment later.
    if trap.isEmpty { try Processes.waitForEnd(of: number) } else { #expect(kill(number, 0) != 0) }
    #expect(Files.exists(stage.directory.path("cleaned")) == !trap.isEmpty)
    let late = try stage.run(["true"], by: runner, for: purpose)
    #expect(late == .failure(Problem(.failed, "the daemon is leaving")))
    withExtendedLifetime(run) {}
  }
}
