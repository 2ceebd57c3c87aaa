// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// What the sandbox takes away, what is said then, and how it is given back.
@Suite("the sandbox", .serialized, .needsPackage)
@MainActor
struct SandboxLimitTests {
  let machine: Machine

  init() throws {
    machine = try InstalledMachine.shared.get()
  }

  /// A row over a file.
  private func row(_ path: String) -> String {
    "[Row]\nTitle=Knob\nBus=system\n[Backend]\nType=file\nPath=\(path)\nOn=1\nOff=0\n"
  }

  /// What togglectl says of a flip that fails.
  private func failure(_ row: String) throws -> String {
    let outcome = try machine.run(["togglectl", "--system", "on", row])
    #expect(!outcome.status.isSuccess)
    return outcome.error
  }

  @Test("lets rows write no file that it does not name, and says which drop-in does")
  func files() throws {
    let path = "/etc/example/beacon"
    try machine.write("0\n", to: path)
    try machine.addRows(["knob": row(path)])
    let text = try failure("knob")
    #expect(
      text.contains(
        "row knob: can't write \(path): Read-only file system; if the sandbox of toggled.service "
          + "forbids it, a drop-in with ReadWritePaths=-\(path) allows it after a restart (name "
          + "the folder of a file that gets replaced): see SANDBOX in toggled(8)"), "\(text)")
    #expect(try machine.succeed("cat", path) == "0\n")
    // The example that ships.
    try machine.succeed("mkdir", "-p", "/etc/systemd/system/toggled.service.d")
    try machine.succeed(
      "cp", "/usr/share/doc/toggled/examples/systemd/toggled-rows.conf",
      "/etc/systemd/system/toggled.service.d/")
    try machine.succeed("systemctl", "daemon-reload")
    try machine.restartService()
    try machine.togglectl("on", "knob")
    #expect(try machine.succeed("cat", path) == "1\n")

    try machine.succeed("rm", "-r", "/etc/systemd/system/toggled.service.d", "/etc/example")
    try machine.succeed("systemctl", "daemon-reload")
    try machine.restartService()
    try machine.removeRows(["knob"])
  }

  @Test("gives a row the file of a drop-in that is there at the start, and no other of its name")
  func replaced() throws {
    let path = "/etc/example/beacon"
    try machine.configureService("ReadWritePaths=-\(path)", as: "beacon")
    try machine.restartService()
    #expect(try machine.service("ActiveState") == "active")
    try machine.addRows(["knob": row(path)])
    try machine.write("0\n", to: path)
    #expect(try failure("knob").contains("Read-only file system"))
    try machine.restartService()
    try machine.togglectl("on", "knob")
    try machine.write("0\n", to: "\(path).new")
    try machine.succeed("mv", "\(path).new", path)
    #expect(try failure("knob").contains("(name the folder of a file that gets replaced)"))
    #expect(try machine.succeed("cat", path) == "0\n")
    try machine.restartService()
    try machine.togglectl("on", "knob")
    #expect(try machine.succeed("cat", path) == "1\n")

    try machine.succeed("rm", "-r", "/etc/example")
    try machine.restoreService(without: "beacon")
    try machine.removeRows(["knob"])
  }

  @Test("lets rows turn the knobs of the machine's own queues, where a drop-in names them")
  func queues() throws {
    let knobs = [("/proc/sys/kernel/msgmax", 9000, 8192), ("/proc/sys/fs/mqueue/msg_max", 12, 10)]
    // Each machine has these for itself, so it may turn them here.
    for (path, _, _) in knobs {
      try machine.succeed("mount", "--bind", path, path)
      try machine.succeed("mount", "-o", "remount,bind,rw", path)
    }
    try machine.configureService(
      "ReadWritePaths=\(knobs.map(\.0).joined(separator: " "))", as: "queues")
    try machine.restartService()
    for (path, on, off) in knobs {
      let text = "[Row]\nTitle=Queues\nBus=system\nTimeout=600\n"
      let backend = "[Backend]\nType=file\nPath=\(path)\nOn=\(on)\nOff=\(off)\n"
      try machine.addRows(["queues": text + backend])
      try machine.togglectl("on", "queues")
      #expect(try machine.succeed("cat", path) == "\(on)\n")
      try machine.togglectl("off", "queues")
      #expect(try machine.succeed("cat", path) == "\(off)\n")
      try machine.removeRows(["queues"])
    }
    try machine.restoreService(without: "queues")
    for (path, _, _) in knobs { try machine.succeed("umount", path) }
  }

  @Test("lets rows read no file of a home, and says so")
  func users() throws {
    try machine.write("0\n", to: "/root/beacon")
    try machine.addRows(["knob": row("/root/beacon")])
    let shown = try machine.togglectl("show", "knob")
    #expect(shown.contains("no-access"), "\(shown)")
    #expect(shown.contains("see SANDBOX in toggled(8)"), "\(shown)")
    try machine.removeRows(["knob"])
  }

  @Test("keeps files, devices and homes out of reach, but for what rows need")
  func reach() throws {
    let script = """
      cannot() { if "$@" 2>/dev/null; then echo "can: $*"; fi; }
      cannot sh -c 'echo 1 >/etc/hosts'
      cannot sh -c 'echo 1 >/usr/share/toggled/rows/mine.row'
      cannot sh -c ': </dev/fuse'
      cannot ls /root/
      cannot ls /home/
      test -w /proc/sys/net/ipv4/ip_forward || echo "can't turn a knob of the network"
      : >/dev/null || echo "can't use /dev/null"
      """
    // In the mounts and the control group of the daemon, with its capabilities.
    let daemon = try machine.service("MainPID")
    let found = try machine.succeed(
      "sh", "-ec", "echo $$ >/sys/fs/cgroup/system.slice/toggled.service/cgroup.procs; exec \"$@\"",
      "sh", "nsenter", "--target", daemon, "--mount", "setpriv", "--bounding-set=-all,+net_admin",
      "--inh-caps=-all,+net_admin", "sh", "-c", script)
    #expect(found == "")
  }

  @Test("lets the daemon open radios, by their number, and no other device of their kind")
  func devices() throws {
    let open = """
      set -e
      mknod /tmp/$1 c 10 $1
      echo $$ >/sys/fs/cgroup/system.slice/toggled.service/cgroup.procs
      python3 -c '
      import os, sys
      try: os.open(sys.argv[1], os.O_RDWR)
      except OSError as error: print(error.errno)' /tmp/$1
      rm /tmp/$1
      """
    // ENODEV or ENXIO: nothing drives it here, which is found out only where it may be opened.
    let radios = try machine.succeed("sh", "-c", open, "sh", "242")
    #expect(["6\n", "19\n"].contains(radios))
    #expect(try machine.succeed("sh", "-c", open, "sh", "229") == "1\n")
  }
}
