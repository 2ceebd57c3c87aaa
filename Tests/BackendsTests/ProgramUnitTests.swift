// SPDX-License-Identifier: MIT

import Backends
import DBus
import EventLoop
import Glibc
import Settings
import System
import TestSupport
import Testing

@MainActor
@Suite("a program that a backend has systemd run", .serialized, .needsMachine)
struct ProgramUnitTests {
  private let machine: Machine
  private let stage: Stage
  private let link: BusLink
  private let runner: ProgramRunner
  private let purpose = ProgramPurpose(.state, of: "lamp.bulb")

  init() throws {
    machine = try Machine.shared.get()
    stage = try Stage(in: machine.directory.path)
    link = BusLink(.system, at: .address(machine.systemBus), on: stage.loop, notice: stage.note)
    runner = ProgramRunner(
      loop: stage.loop,
      environment: [
        "PATH": "/nonexistent", "LANGUAGE": "es", "http_proxy": "http://proxy:8080/%n$PATH",
        "NOTIFY_SOCKET": "/run/notify", "STATE_DIRECTORY": "/var/lib/toggled",
        "BASH_FUNC_x%%": "() { :\n}", "TABS": "a\tb",
      ],
      // However slow this machine is, no program is taken for one that hangs.
      placeTime: patience * 2, through: link)
  }

  private func outcome(
    _ arguments: [String], timeout: Duration = patience
  ) throws -> Result<ProgramResult, Problem> {
    try stage.run(arguments, by: runner, for: purpose, timeout: timeout)
  }

  private func shell(_ script: String) throws -> ProgramResult {
    try outcome(["sh", "-c", script, "sh", stage.directory.path]).get()
  }

  private func failure(
    _ arguments: [String], timeout: Duration = patience
  ) throws -> Problem {
    try outcome(arguments, timeout: timeout).failure()
  }

  private func lines(_ result: ProgramResult) -> [String] {
    String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Turns the loop until systemd knows of no such unit any more.
  private func awaitNoUnits() throws {
    let search = try machine.startWaitForEnd(ofUnits: "toggled-run-*")
    let watch = try stage.loop.watch(search.exitDescriptor, for: .readable) { _ in }
    try stage.turn("the end of all units") { search.exitStatus != nil }
    watch.cancel()
  }

  // MARK: What it is given

  @Test("is in a unit that names its row, with full rights and limits of its own")
  func unit() throws {
    let script = """
      unit=$(sed -n 's|^0::.*/||p' /proc/self/cgroup); systemctl show "$unit" --value \
      -p Id -p Description -p TasksMax -p MemoryMax -p LimitNOFILE -p NoNewPrivileges \
      -p ProtectSystem -p CollectMode
      """
    let found = lines(try shell(script))
    #expect(found.count == 8)
    #expect(
      found.contains {
        $0.hasPrefix("toggled-run-lamp.bulb-state-") && $0.hasSuffix(".service")
      }, "\(found)")
    #expect(found.contains("state of row lamp.bulb of toggled"))
    #expect(
      Set(found).isSuperset(of: ["256", "1073741824", "4096", "no", "inactive-or-failed"]))
  }

  @Test("has a fixed PATH and language, and what the daemon was told, but for what systemd refuses")
  func environment() throws {
    #expect(
      Set(lines(try outcome(["env"]).get())) == [
        "PATH=\(ProgramRunner.searchPath)", "LC_ALL=C.UTF-8",
        "http_proxy=http://proxy:8080/%n$PATH", "TABS=a\tb",
      ])
  }

  @Test("gets its arguments as they are: nobody expands or unquotes them")
  func arguments() throws {
    let words = [
      "$HOME", "${PATH}", "$$", "%n", "%%", "%", "-x", "@x", "+", "!", ":", "*", "a b", "`id`",
      ";", "", "ä\n\t\u{1b}", "\"'\\", "'", "\\x41", "#", "a=b",
    ]
    let expected = words.map { "[\($0)]" }.joined()
    let result = try outcome(["printf", "[%s]"] + words).get()
    #expect(String(decoding: result.output, as: UTF8.self) == expected)
    let odd = try stage.directory.write(
      "#!/bin/sh\nprintf '[%s]' \"$@\"\n", to: "-@:+ $HOME'%n;=", mode: 0o755)
    let other = try outcome([odd] + words).get()
    #expect(String(decoding: other.output, as: UTF8.self) == expected, "\(other.end)")
    let long = String(repeating: "'", count: 60000)
    #expect(try outcome(["printf", "%s", long]).get().output == Array(long.utf8))
  }

  @Test("is what was asked for, however often systemd reads its units anew")
  func reloads() throws {
    let reloads = try machine.start(["sh", "-c", "while :; do systemctl daemon-reload; done"])
    for number in 0..<20 {
      let script = "x=$((1+$2)); case $x in *) echo \"$x;\" ;; esac; cat"
      let result = try outcome(["sh", "-c", script, "sh", "$", "\(number)"]).get()
      #expect(String(decoding: result.output, as: UTF8.self) == "\(number + 1);\n", "\(result.end)")
    }
    #expect(reloads.exitStatus == nil)
  }

  @Test("reads nothing, starts in / and has no other descriptor")
  func streams() throws {
    // The last is the directory that ls reads.
    #expect(lines(try shell("cat; pwd; ls /proc/self/fd")) == ["/", "0", "1", "2", "3"])
    // What systemd has its services ignore unasked.
    #expect(try shell("kill -s PIPE $$").status == .signalled(SIGPIPE))
  }

  // MARK: What it says

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
    #expect(lines(result) == ["said"])
  }

  @Test(
    "ends with its own status or signal, and is no failed unit", arguments: [0, 1, 3, 127, 203])
  func status(_ status: Int32) throws {
    #expect(try shell("exit \(status)").status == .exited(status))
    #expect(try shell("kill -s KILL $$").status == .signalled(SIGKILL))
    #expect(try shell("kill -s TERM $$").status == .signalled(SIGTERM))
    try awaitNoUnits()
  }

  // MARK: What can't be run

  @Test("that can't be run is named as where the daemon runs it itself")
  func missing() throws {
    let plain = try stage.directory.write("#!/bin/sh\n", to: "plain")
    let garbage = try stage.directory.write("\u{1}\u{2}", to: "garbage", mode: 0o755)
    let script = try stage.directory.write("#!/no/such/shell\n", to: "script", mode: 0o755)
    let direct = ProgramRunner(loop: stage.loop)
    for program in ["no-such-program", "/no/such/program", plain, garbage, script] {
      var expected: Result<ProgramResult, Problem>?
      let run = direct.run([program], for: purpose, timeout: patience) { expected = $0 }
      try stage.turn { expected != nil }
      withExtendedLifetime(run) {}
      #expect(try outcome([program]) == expected, "\(program)")
      guard case .failure = expected else { throw TestFailure("\(program) ran") }
    }
    try awaitNoUnits()
  }

  @Test("that the bus or systemd refuses says so")
  func refused() throws {
    try machine.write(
      """
      <busconfig><policy context="mandatory">
        <deny send_interface="org.freedesktop.systemd1.Manager" send_member="StartTransientUnit"/>
      </policy></busconfig>
      """, to: "/etc/dbus-1/system.d/refusal.conf")
    let reload = [
      "busctl", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "ReloadConfig",
    ]
    _ = try machine.run(reload)
    defer {
      _ = try? machine.run(["rm", "/etc/dbus-1/system.d/refusal.conf"])
      _ = try? machine.run(reload)
    }
    let failure = try failure(["true"])
    #expect(failure.reason == .noAccess)
    #expect(
      failure.text.hasPrefix("can't run true: org.freedesktop.systemd1 refuses: "), "\(failure)")
  }

  // MARK: What ends it

  @Test("that takes too long is ended, with all that it started, even if it ignores SIGTERM")
  func hangs() throws {
    let script = "trap '' TERM; setsid sleep 600 & wait; sleep 600"
    var timeout = Duration.milliseconds(500)
    var failure = try failure(["sh", "-c", script], timeout: timeout)
    // Its time runs while systemd starts it, and a busy machine's may need more than that.
    while failure.text == "can't run sh: systemd does not start it", timeout < patience {
      timeout *= 3
      failure = try self.failure(["sh", "-c", script], timeout: timeout)
    }
    #expect(failure.reason == .timeout)
    #expect(failure.text == "sh did not end within \(timeout.inSeconds) s")
    try awaitNoUnits()
    #expect(try machine.run(["pgrep", "-x", "sleep"]).output == "")
  }

  @Test("that leaves a child behind, even in a session of its own, keeps no one waiting")
  func grandchild() throws {
    let result = try shell("trap '' TERM; setsid sleep 600 & echo on")
    #expect(result.status == .exited(0))
    #expect(lines(result) == ["on"])
    try awaitNoUnits()
    #expect(try machine.run(["pgrep", "-x", "sleep"]).output == "")
    #expect(try stage.isQuiet())
  }

  @Test("that nobody wants any more is ended, and nobody is told")
  func cancelled() throws {
    var answers = 0
    var run: ProgramRun? = runner.run(
      ["sh", "-c", "echo >$1/here; exec sleep 600", "sh", stage.directory.path], for: purpose,
      timeout: patience
    ) { _ in answers += 1 }
    try stage.awaitFile("here")
    withExtendedLifetime(run) {}
    run = nil
    try awaitNoUnits()
    #expect(answers == 0)
  }

  @Test("waits for its turn while eight others run, unless it is for a flip")
  func queue() throws {
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
    try awaitNoUnits()
  }

  @Test(
    "is ended with the daemon, whether it cleans up or is deaf, and none is started any more",
    arguments: [("echo >$1/cleaned; exit", patience), ("", .milliseconds(100))])
  func finish(trap: String, grace: Duration) throws {
    let runner = ProgramRunner(loop: stage.loop, grace: grace, through: link)
    let script = "trap '\(trap)' TERM; echo >$1/here; while :; do sleep 0.01; done"
    let run = runner.run(
      ["sh", "-c", script, "sh", stage.directory.path], for: purpose, timeout: patience
    ) { _ in }
    try stage.awaitFile("here")
    runner.finish()
    try awaitNoUnits()
    #expect(Files.exists(stage.directory.path("cleaned")) == !trap.isEmpty)
    let late = try stage.run(["true"], by: runner, for: purpose)
    #expect(late == .failure(Problem(.failed, "the daemon is leaving")))
    withExtendedLifetime(run) {}
  }

  // MARK: systemd

  @Test("ends as it does while systemd starts anew, and reads its files again")
  func reexec() throws {
    var answer: Result<ProgramResult, Problem>?
    let run = runner.run(
      [
        "sh", "-c", "echo >$1/here; until [ -e $1/go ]; do sleep 0.01; done; echo on; exit 3", "sh",
        stage.directory.path,
      ], for: purpose, timeout: patience
    ) { answer = $0 }
    try stage.awaitFile("here")
    try machine.succeed("systemctl", "daemon-reload")
    try machine.succeed("systemctl", "daemon-reexec")
    #expect(answer == nil)
    try stage.directory.write("", to: "go")
    try stage.turn("the end") { answer != nil }
    let result = try #require(answer).get()
    #expect(result.status == .exited(3))
    #expect(lines(result) == ["on"])
    withExtendedLifetime(run) {}
    for _ in 0..<8 {
      let again = try machine.start(["systemctl", "daemon-reexec"])
      #expect(try shell("echo off").output == Array("off\n".utf8))
      try again.waitForExit()
    }
    try awaitNoUnits()
  }

  @Test("has an answer in time while systemd hangs, and does not go on afterwards")
  func hang() throws {
    // All that has to be known beforehand is.
    _ = try shell("true")
    try awaitNoUnits()
    kill(machine.processID, SIGSTOP)
    defer { kill(machine.processID, SIGCONT) }
    let failure = try failure(["sleep", "600"], timeout: .milliseconds(300))
    #expect(failure.reason == .timeout)
    #expect(failure.text == "can't run sleep: systemd does not start it")
    kill(machine.processID, SIGCONT)
    #expect(lines(try shell("echo on")) == ["on"])
    try awaitNoUnits()
  }
}
