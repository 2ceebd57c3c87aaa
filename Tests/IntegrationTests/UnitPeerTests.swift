// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import TestSupport
import Testing

@Suite("A unit's row, whatever systemd says", .serialized)
@MainActor
struct UnitPeerTests {
  private static let path = "/org/freedesktop/systemd1/unit/lamp_2eservice"
  private static let unit = "\(path) org.freedesktop.systemd1.Unit"

  /// What has a script be a systemd that knows one unit, which is in this state.
  private static func systemd(_ state: String, _ more: String...) -> [String] {
    [
      "property \(unit) Id s '\"lamp.service\"'",
      "property \(unit) LoadState s '\"loaded\"'",
      "property \(unit) ActiveState s '\"\(state)\"'",
      "answer Subscribe ignore",
      "answer LoadUnit body o '[\"\(path)\"]'",
      "answer StartUnit body o '[\"/org/freedesktop/systemd1/job/1\"]'",
      "answer StopUnit body o '[\"/org/freedesktop/systemd1/job/2\"]'",
    ] + more + ["own org.freedesktop.systemd1"]
  }

  private func stage(_ keys: String = "") throws -> Stage {
    try .serving(["lamp.row": RowText.unit("lamp.service", keys)])
  }

  @Test("has no service before systemd is on the bus, and when it has gone")
  func absence() throws {
    let stage = try stage()
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "unknown (no-service)")
    #expect(try peer.row("lamp", "ReasonText") == "'systemd is not on the session bus'")
    let error = try peer.error(of: peer.sendSetOn("lamp", true))
    #expect(error.name == "org.toggled.Error.Unavailable")
    let systemd = try SceneService(stage.bus.address, Self.systemd("active"))
    try peer.awaitState("lamp", "on")
    try systemd.tell("release org.freedesktop.systemd1")
    try peer.awaitState("lamp", "unknown (no-service)")
    #expect(try peer.row("lamp", "IsOn") == "true")
    try systemd.tell("own org.freedesktop.systemd1")
    try peer.awaitState("lamp", "on")
    for _ in 0..<2 { try systemd.waitForCall("Subscribe") }
  }

  @Test(
    "takes every state for what it is",
    arguments: [
      ("active", "on", "''"), ("reloading", "on", "''"), ("refreshing", "on", "''"),
      ("activating", "off", "'on'"), ("deactivating", "on", "'off'"), ("inactive", "off", "''"),
      ("maintenance", "off", "''"), ("failed", "off (failed)", "''"),
      ("frobnicated", "unknown (unrecognised)", "''"),
    ])
  func states(_ state: String, _ expected: String, _ target: String) throws {
    let stage = try stage()
    let systemd = try SceneService(stage.bus.address, Self.systemd(state))
    let peer = try Peer(stage)
    try peer.awaitState("lamp", expected)
    #expect(try peer.row("lamp", "Target") == target)
    withExtendedLifetime(systemd) {}
  }

  @Test("does not say on of a unit that fails to start and is being cleared away")
  func failingSlowly() throws {
    let stage = try stage()
    let systemd = try SceneService(stage.bus.address, Self.systemd("inactive"))
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "off")
    _ = try peer.takeJournal()
    try systemd.tell("change \(Self.unit) ActiveState '\"activating\"'")
    try peer.wait(for: "rows/lamp Row1 Target='on'")
    try systemd.tell("change \(Self.unit) ActiveState '\"deactivating\"'")
    try peer.wait(for: "rows/lamp Row1 Target=''")
    try systemd.tell("change \(Self.unit) ActiveState '\"failed\"'")
    try peer.awaitState("lamp", "off (failed)")
  }

  @Test("says nothing when systemd says what is known already")
  func repetition() throws {
    let stage = try stage()
    let systemd = try SceneService(stage.bus.address, Self.systemd("active"))
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "on")
    _ = try peer.takeJournal()
    try systemd.tell(
      "flap \(Self.unit) ActiveState 1000 '\"active\"'",
      "emit \(Self.path) sa{sv}as '[\"org.freedesktop.systemd1.Unit\", {}, [\"ActiveState\"]]'",
      "emit \(Self.path) s '[\"org.freedesktop.systemd1.Unit\"]'",
      "change \(Self.unit) ActiveState '\"inactive\"'")
    try peer.awaitState("lamp", "off")
    try peer.expectJournal([
      "rows/lamp Row1 IsOn=false State='off'", "/org/toggled Switches1 lamp=false",
    ])
  }

  @Test("is unknown where systemd answers nothing, or nonsense")
  func nonsense() throws {
    let stage = try stage("Timeout=0.2")
    let systemd = try SceneService(
      stage.bus.address, Self.systemd("active", "answer LoadUnit never"))
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "unknown (timeout)")
    try systemd.tell(
      "answer LoadUnit body o '[\"\(Self.path)\"]'", "answer GetAll body a{sv} '[{}]'")
    // From here on it is not about time.
    try stage.write("lamp.row", RowText.unit("lamp.service"))
    try peer.call("Reload", of: .manager, at: .toggled)
    try peer.awaitState("lamp", "unknown (failed)")
    try systemd.tell("answer LoadUnit body s '[\"no path\"]'")
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    #expect(try peer.state("lamp") == "unknown (failed)")
    #expect(
      try peer.row("lamp", "ReasonText")
        == "'systemd answered LoadUnit of lamp.service with something else than a unit'")
    // Something else than a unit, which does not make the unit one that is not there.
    try systemd.tell("answer GetAll normal", "answer LoadUnit body o '[\"/nowhere\"]'")
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    #expect(try peer.state("lamp") == "unknown (failed)")
    #expect(
      try peer.row("lamp", "ReasonText")
        == "'lamp.service: org.freedesktop.systemd1: no object /nowhere'")
    try systemd.tell("answer LoadUnit error org.freedesktop.DBus.Error.UnknownMethod 'no units'")
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    #expect(try peer.state("lamp") == "unknown (failed)")
    try systemd.tell("answer LoadUnit error org.freedesktop.systemd1.LoadFailed 'no such luck'")
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    #expect(try peer.row("lamp", "ReasonText") == "'lamp.service: no such luck'")
    try systemd.tell("answer LoadUnit body o '[\"\(Self.path)\"]'")
    try peer.call("Refresh", of: .row, at: .row("lamp"))
    #expect(try peer.state("lamp") == "on")
  }

  @Test("passes on whether the user may be asked", arguments: [false, true])
  func interactive(_ mayAsk: Bool) throws {
    let stage = try stage()
    let systemd = try SceneService(
      stage.bus.address,
      Self.systemd(
        "inactive", "answer StartUnit error org.freedesktop.DBus.Error.AccessDenied 'not you'"))
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "off")
    let error = try peer.error(
      of: peer.send(
        "SetOn", of: .row, at: .row("lamp"), [.boolean(true)],
        options: mayAsk ? .allowInteractiveAuthorization : []))
    #expect(error.name == "org.freedesktop.DBus.Error.AccessDenied")
    #expect(error.message == "row lamp: org.freedesktop.systemd1 refuses: not you")
    // Nothing starts systemd: bit 2. Bit 4 lets it ask.
    let call = try systemd.waitForCall("StartUnit")
    #expect(call.hasPrefix("call StartUnit /org/freedesktop/systemd1 \(mayAsk ? 6 : 2) "))
  }

  @Test("fails in time when systemd goes away in the middle of a job")
  func goneDuringJob() throws {
    let stage = try stage("Timeout=0.5")
    let systemd = try SceneService(stage.bus.address, Self.systemd("inactive"))
    let peer = try Peer(stage)
    try peer.read("lamp", until: "off")
    let call = peer.sendSetOn("lamp", true)
    try systemd.waitForCall("StartUnit")
    try systemd.tell("release org.freedesktop.systemd1")
    let error = try peer.error(of: call)
    #expect(error.name == "org.toggled.Error.TimedOut")
    try peer.awaitState("lamp", "unknown (no-service)")
  }

  @Test("answers who waits when the bus is lost, and comes back with it")
  func lostBus() throws {
    let bus = try PrivateBus(.system)
    let stage = try Stage(
      .session, ["lamp.row": RowText.unit("lamp.service", backend: "Bus=system")])
    let systemd = try SceneService(bus.address, Self.systemd("active"))
    try stage.start(environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
    let peer = try Peer(stage)
    try peer.awaitState("lamp", "on")
    try systemd.tell("answer GetAll hold")
    let refresh = peer.send("Refresh", of: .row, at: .row("lamp"))
    let flip = peer.sendSetOn("lamp", false)
    try systemd.waitForCall("StopUnit")
    try bus.stop()
    #expect(try peer.error(of: flip).name == "org.toggled.Error.Unavailable")
    try peer.wait(for: refresh)
    try peer.awaitState("lamp", "unknown (no-service)")
    try bus.restart()
    let another = try SceneService(bus.address, Self.systemd("inactive"))
    try peer.awaitState("lamp", "off")
    withExtendedLifetime(another) {}
  }
}
