// SPDX-License-Identifier: MIT

import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// A password that togglectl has a person asked for, on a real terminal, by polkit.
@MainActor
@Suite("A question for a password", .serialized, .needsMachine)
struct PolkitQuestionTests {
  /// Starts a daemon. In each test itself: what is made before it may meet another suite's.
  private func serve() throws -> PolkitScene {
    try PolkitScene([
      "lamp.row": RowText.stored("Lamp", "Bus=system"),
      "fan.row": RowText.stored("Fan", "Bus=system"),
      "heater.row": RowText.stored("Heater", "Bus=system\nDefault=on"),
      "radio.row": RowText.stored("Radio", "Bus=system\nPolkitAction=org.toggled.flip-seat"),
    ])
  }

  @Test(
    "is put once for all rows of a command, at the seat and over ssh, and leaves nothing behind")
  func right() throws {
    let scene = try serve()
    for place in [Machine.Place.seat, .remote] {
      let togglectl = try scene.ask("-v", "toggle", "lamp", "fan", "heater", at: place)
      try togglectl.write("secret\n")
      #expect(try togglectl.waitForExit() == .exited(0), "\(togglectl.text())\n\(scene.log)")
      let shown = togglectl.text()
      #expect(shown.count(of: "Password:") == 1, "\(shown)")
      for row in ["lamp", "fan", "heater"] { #expect(shown.contains("\(row) o"), "\(shown)") }
      #expect(!shown.contains("secret") && !shown.contains("no echo"), "\(shown)")
      #expect(try !scene.agentRuns)
    }
    #expect(try scene.state("lamp") == "off")
  }

  @Test("says what would be turned, and to what, as the row's file calls it now")
  func message() throws {
    let scene = try serve()
    let lamp = try scene.onTerminal("on", "lamp")
    try lamp.waitForLine(containing: "turn “Lamp” on")
    try scene.stage.write("lamp.row", RowText.stored("Bulb", "Bus=system"))
    let peer = try Peer(scene.stage)
    try peer.call("Reload", of: .manager, at: .toggled)
    try peer.setOn("lamp", true)
    let bulb = try scene.onTerminal("off", "lamp")
    try bulb.waitForLine(containing: "turn “Bulb” off")
  }

  @Test("says so under another service's action too, and under ours where polkit has none such")
  func otherAction() throws {
    let scene = try PolkitScene(
      [
        "printing": "org.freedesktop.systemd1.manage-unit-files", "far": "org.example.missing",
      ].reduce(into: [:]) { files, row in
        files["\(row.key).row"] = RowText.stored(row.key, "Bus=system\nPolkitAction=\(row.value)")
      })
    let printing = try scene.ask("on", "printing")
    #expect(printing.text().contains("turn “printing” on"), "\(printing.text())")
    #expect(printing.text().contains("FOR org.freedesktop.systemd1.manage-unit-files"))
    try printing.write("secret\n")
    #expect(try printing.waitForExit() == .exited(0), "\(printing.text())")
    let far = try scene.ask("on", "far")
    #expect(far.text().contains("turn “far” on"), "\(far.text())")
    try far.write("\u{4}")
    #expect(try far.waitForExit() == .exited(4))
    #expect(far.text().contains("row far: org.toggled.flip takes a password, and none"))
    try #require(scene.stage.daemon).waitForLine(
      containing: ": row far: org.toggled.flip takes a password, and none", on: .error)
  }

  @Test("is put for a reset too, and not where nothing would change or nobody need be asked")
  func needless() throws {
    let scene = try serve()
    _ = try scene.togglectl("off", "heater", as: .root)
    let reset = try scene.ask("reset", "heater")
    try reset.write("secret\n")
    #expect(try reset.waitForExit() == .exited(0))
    #expect(try scene.state("heater") == "on")
    for arguments in [["on", "heater"], ["on", "radio"], ["refresh", "lamp"]] {
      let togglectl = try scene.machine.start(
        [PolkitScene.togglectl] + arguments, as: "alice", at: .seat, onTerminal: true)
      #expect(try togglectl.waitForExit() == .exited(0))
      #expect(togglectl.text() == "", "\(arguments)")
    }
  }

  @Test("that gets a wrong password, or none, is a denial, and the rows after it ask no more")
  func wrong() throws {
    let scene = try serve()
    for typed in ["wrong\n", "\u{4}"] {
      let togglectl = try scene.ask("on", "lamp", "radio", "fan")
      try togglectl.write(typed)
      #expect(try togglectl.waitForExit() == .exited(4), "\(togglectl.text())")
      let shown = togglectl.text()
      #expect(shown.count(of: "Password:") == 1, "\(shown)")
      #expect(shown.contains("row lamp: org.toggled.flip takes a password, and none was given"))
      #expect(shown.contains("row fan: org.toggled.flip takes a password"), "\(shown)")
      #expect(shown.contains("none is asked for after a refusal"), "\(shown)")
      #expect(try scene.state("lamp") == "off")
      // What takes no password is done all the same.
      #expect(try scene.state("radio") == "on")
      #expect(try !scene.agentRuns)
    }
  }

  @Test("ends with ^C, which gives the terminal its echo back and flips nothing")
  func interrupted() throws {
    let scene = try serve()
    let togglectl = try scene.ask("on", "lamp", "fan")
    try togglectl.write("\u{3}")
    #expect(try togglectl.waitForExit() == .exited(128 + SIGINT))
    #expect(!togglectl.text().contains("no echo"), "\(togglectl.text())")
    #expect(try !scene.agentRuns)
    #expect(try scene.state("lamp") == "off")
  }

  @Test("ends with togglectl when that is terminated or killed, and so does the agent")
  func killed() throws {
    let scene = try serve()
    for signal in ["TERM", "KILL"] {
      let togglectl = try scene.ask("on", "lamp")
      try scene.machine.succeed("pkill", "-\(signal)", "-x", "togglectl")
      try togglectl.waitForExit()
      try scene.waitForAgentsEnd()
      #expect(try scene.state("lamp") == "off")
    }
  }

  @Test("is not put where nobody can be asked; that is a denial that says why")
  func nobody() throws {
    let scene = try serve()
    let ruledOut = try scene.onTerminal("--no-ask-password", "on", "lamp")
    #expect(try ruledOut.waitForExit() == .exited(4))
    #expect(ruledOut.text().contains("(--no-ask-password rules out asking)"), "\(ruledOut.text())")
    #expect(!ruledOut.text().contains("Password:"), "\(ruledOut.text())")

    let noTerminal = try scene.togglectl("on", "lamp", as: .seat)
    #expect(noTerminal.status == .exited(4))
    #expect(noTerminal.error.contains("(there is no terminal to ask on)"), "\(noTerminal.error)")
    #expect(noTerminal.error.contains("sudo") && noTerminal.error.contains("rules.d"))

    // What a shell with job control starts in the background has a group of its own.
    let background = try scene.machine.start(
      ["bash", "-c", "set -m; \(PolkitScene.togglectl) on lamp & wait $!"], as: "alice",
      at: .seat, onTerminal: true)
    #expect(try background.waitForExit() == .exited(4))
    #expect(background.text().contains("try fg"), "\(background.text())")

    let bare = try scene.machine.start(
      ["env", "PATH=/nonexistent", PolkitScene.togglectl, "on", "lamp"], as: "alice", at: .seat,
      onTerminal: true)
    #expect(try bare.waitForExit() == .exited(4))
    #expect(bare.text().contains("setpriv, which it takes to ask, is not installed"))
  }

  @Test("is not waited for where the agent hangs before polkit knows of it")
  func hungAgent() throws {
    let scene = try serve()
    try scene.machine.succeed("mkdir", "-p", "/usr/local/hung")
    try scene.machine.write("#!/bin/sh\nkill -STOP $$\n", to: "/usr/local/hung/pkttyagent")
    try scene.machine.succeed("chmod", "755", "/usr/local/hung/pkttyagent")
    let togglectl = try scene.machine.start(
      ["env", "PATH=/usr/local/hung:/usr/bin:/bin", PolkitScene.togglectl, "on", "lamp", "fan"],
      as: "alice", at: .seat, onTerminal: true)
    #expect(try togglectl.waitForExit() == .exited(4), "\(togglectl.text())")
    let shown = togglectl.text()
    #expect(shown.count(of: "(pkttyagent, which asks, does not get ready") == 2, "\(shown)")
    #expect(shown.contains("row fan: org.toggled.flip takes a password"), "\(shown)")
    #expect(try !scene.agentRuns)
  }

  @Test("that the agent can't put is a denial, with the agent's own reason for every row")
  func uselessAgent() throws {
    let scene = try serve()
    try scene.machine.succeed("mkdir", "-p", "/usr/local/useless")
    let script = """
      #!/bin/sh
      DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent exec /usr/bin/pkttyagent "$@"

      """
    try scene.machine.write(script, to: "/usr/local/useless/pkttyagent")
    try scene.machine.succeed("chmod", "755", "/usr/local/useless/pkttyagent")
    let togglectl = try scene.machine.start(
      ["env", "PATH=/usr/local/useless:/usr/bin:/bin", PolkitScene.togglectl, "on", "lamp", "fan"],
      as: "alice", at: .seat, onTerminal: true)
    #expect(try togglectl.waitForExit() == .exited(4), "\(togglectl.text())")
    let shown = togglectl.text()
    let alone = try scene.machine.run([
      "sh", "-c", "/usr/local/useless/pkttyagent --process $$; true",
    ]).error
    let reason = try #require(alone.split(separator: "\n").first)
    #expect(shown.count(of: "(pkttyagent could not ask: \(reason))") == 2, "\(shown)\n\(alone)")
    #expect(shown.count(of: String(reason)) == 2, "\(shown)")
  }

  @Test("in JSON leaves standard output to the answer alone")
  func json() throws {
    let scene = try serve()
    let file = "/tmp/polkit-answer.json"
    let togglectl = try scene.machine.start(
      ["sh", "-c", "exec \(PolkitScene.togglectl) --json on lamp >\(file) 2>&1"], as: "alice",
      at: .seat, onTerminal: true)
    try togglectl.waitForLine(containing: "Password: ")
    try togglectl.write("secret\n")
    #expect(try togglectl.waitForExit() == .exited(0))
    let answer = try scene.machine.succeed("cat", file)
    let reader = "import json, sys; print([row['id'] for row in json.load(sys.stdin)])"
    let read = try Program.run([Python.path, "-c", reader], input: answer)
    #expect(read.output == "['lamp']\n", "\(answer)\(read.error)")
  }
}

/// What happens elsewhere while somebody has to type a password.
@MainActor
@Suite("While a password is asked for", .serialized, .needsMachine)
struct PolkitMeanwhileTests {
  private func serve() throws -> PolkitScene {
    try PolkitScene([
      "lamp.row": RowText.stored("Lamp", "Bus=system"),
      "fan.row": RowText.stored("Fan", "Bus=system\nPolkitAction=org.toggled.flip-seat"),
      "lantern.row": RowText.stored("Lantern", "Bus=system"),
      "heater.row": RowText.stored("Heater", "Bus=system"),
    ])
  }

  @Test("others are answered, and may flip the very row")
  func others() throws {
    let scene = try serve()
    let togglectl = try scene.ask("toggle", "lamp")
    let peer = try Peer(scene.stage)
    #expect(try peer.state("lamp") == "off")
    #expect(try scene.togglectl("on", "fan", as: .seat).status == .exited(0))
    #expect(try scene.togglectl("on", "lamp", as: .root).status == .exited(0))
    // A toggle counts from what is when it is allowed.
    try togglectl.write("secret\n")
    #expect(try togglectl.waitForExit() == .exited(0), "\(togglectl.text())")
    #expect(try peer.state("lamp") == "off")
  }

  @Test("a lock that comes counts, however right the password is")
  func lock() throws {
    let scene = try serve()
    let togglectl = try scene.ask("on", "lamp")
    let peer = try Peer(scene.stage)
    try scene.stage.write(
      "lamp.row", RowText.stored("Lamp", "Bus=system\nLocked=true\nDefault=off"))
    try peer.wait(where: { $0.contains("Locked") })
    try togglectl.write("secret\n")
    #expect(try togglectl.waitForExit() == .exited(5), "\(togglectl.text())")
    #expect(try peer.state("lamp") == "off (locked)")
  }

  @Test("a row that goes is no row any more")
  func removal() throws {
    let scene = try serve()
    let togglectl = try scene.ask("on", "lamp")
    let peer = try Peer(scene.stage)
    try scene.stage.remove("lamp.row")
    try peer.wait(where: { $0 == "-rows/lamp Row1" })
    try togglectl.write("secret\n")
    #expect(try togglectl.waitForExit() == .exited(3), "\(togglectl.text())")
  }

  @Test("the question goes from the screen of somebody whose caller is gone")
  func gone() throws {
    let scene = try serve()
    let agent = try scene.askOnDesktop("lamp")
    try scene.machine.succeed("pkill", "-KILL", "-x", "busctl")
    try agent.waitForLine { $0 == "cancelled" }
    #expect(try scene.state("lamp") == "off")
  }

  @Test("two questions are open for one user at most, and one that goes makes room")
  func limit() throws {
    let scene = try serve()
    let agents = try ["lamp", "lantern"].map(scene.askOnDesktop)
    let third = try scene.startToAsk("heater")
    try third.waitForLine(
      containing: "row heater: org.toggled.flip takes a password, and too many questions")
    try third.waitForLine { $0.hasPrefix("exit ") }
    #expect(!third.text().contains("asked "), "\(third.text())")
    // Root's flips are no questions.
    #expect(try scene.togglectl("on", "heater", as: .root).status == .exited(0))
    #expect(try scene.togglectl("off", "heater", as: .root).status == .exited(0))
    try scene.machine.succeed("pkill", "-KILL", "-x", "busctl")
    for agent in agents { try agent.waitForLine { $0 == "cancelled" } }
    try scene.askOnDesktop("heater")
  }

  @Test("an agent of the desktop asks where there is one, and once for a command that it refuses")
  func desktop() throws {
    let scene = try serve()
    let agent = try scene.startAgent("dismiss", PolkitScene.togglectl, "on", "lamp", "lantern")
    #expect(try agent.waitForExit() == .exited(0), "\(agent.text(.error))")
    let shown = agent.text()
    #expect(shown.count(of: "asked Authentication") == 1, "\(shown)")
    #expect(shown.contains("row lamp: org.toggled.flip takes a password, and none was given"))
    #expect(shown.contains("row lantern: org.toggled.flip takes a password"), "\(shown)")
    #expect(shown.hasSuffix("exit 4\n"), "\(shown)")
  }

  @Test("polkit that hangs keeps nobody else waiting, and who was asked may leave")
  func hang() throws {
    let scene = try serve()
    let togglectl = try scene.ask("on", "lamp")
    try scene.machine.succeed("pkill", "-STOP", "-x", "polkitd")
    defer { _ = try? scene.machine.succeed("pkill", "-CONT", "-x", "polkitd") }
    let peer = try Peer(scene.stage)
    #expect(try peer.state("lamp") == "off")
    try peer.setOn("fan", true)
    try togglectl.write("\u{3}")
    #expect(try togglectl.waitForExit() == .exited(128 + SIGINT), "\(togglectl.text())")
    #expect(!togglectl.text().contains("no echo"), "\(togglectl.text())")
    #expect(try peer.state("lamp") == "off")
  }

  @Test("polkit that is restarted denies, and is asked anew by the next command")
  func restart() throws {
    let scene = try serve()
    let togglectl = try scene.ask("on", "lamp")
    try scene.machine.restartPolkit()
    #expect(try togglectl.waitForExit() == .exited(4), "\(togglectl.text())")
    #expect(!togglectl.text().contains("no echo"), "\(togglectl.text())")
    let next = try scene.ask("on", "lamp")
    try next.write("secret\n")
    #expect(try next.waitForExit() == .exited(0), "\(next.text())")
  }
}

extension String {
  /// How often a text is in this one.
  fileprivate func count(of part: String) -> Int {
    utf8.indices.count { utf8[$0...].starts(with: part.utf8) }
  }
}
