// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import System
import TestSupport
import Testing

/// "Keep Awake", as it ships, beside systemd-logind. The daemon is root's, on a session bus.
@Suite(
  "Keep Awake and logind", .serialized,
  .needsMachine)
@MainActor
struct InhibitTests {
  private let machine: Machine
  private let files: [String: String]
  private let blocks: Blocks

  init() throws {
    machine = try Machine.shared.get()
    try machine.startUserManager()
    files = try ShippedScene.files.filter { ["keep_awake.row", "power.section"].contains($0.key) }
    blocks = try Blocks(machine)
  }

  /// What logind says of the inhibitors that are ours, a line each.
  private func inhibitors() throws -> [[Substring]] {
    try machine.succeed("systemd-inhibit", "--list", "--no-legend", "--no-pager")
      .split(separator: "\n").map { $0.split(separator: " ") }
      .filter { $0.first == "toggled" }
  }

  /// The process that holds the one inhibitor of ours.
  private func holder() throws -> String {
    let found = try inhibitors()
    try #require(found.count == 1, "\(found)")
    // WHO UID USER PID COMM WHAT WHY MODE
    #expect(found[0].prefix(3) == ["toggled", "0", "root"])
    #expect(
      found[0].dropFirst(5).joined(separator: " ") == "sleep:idle Keep Awake is on block")
    return String(found[0][3])
  }

  /// A daemon with the row, which is off, and a client of it.
  private func scene(
    _ more: [String: String] = [:]
  ) throws -> (client: SceneClient, daemon: Program) {
    let rows = try rows(more)
    let daemon = try machine.start(
      [try Products.path("toggled"), "--session", "--rows", rows, "--state", "\(rows)/state"],
      environment: Machine.sessionEnvironment)
    try daemon.waitForLine(containing: "rows on the session bus", on: .error)
    let client = try SceneClient(machine.sessionBus)
    client.context = { daemon.text(.error) }
    try client.await("keep_awake", "off")
    return (client, daemon)
  }

  /// A directory with the row, and more files.
  private func rows(_ more: [String: String] = [:]) throws -> String {
    let rows = try machine.succeed("mktemp", "-d", machine.directory.path("rows-XXXXXX")).dropLast()
    for (name, text) in files.merging(more, uniquingKeysWith: { $1 }) {
      try Files.replace("\(rows)/\(name)", with: Array(text.utf8), mode: 0o644)
    }
    return String(rows)
  }

  private func turnOn(_ client: SceneClient) throws {
    #expect(try client.setOn("keep_awake", true) == "ok [true]")
    try blocks.wait(for: "sleep:idle")
  }

  private func turnOff(_ client: SceneClient) throws {
    #expect(try client.setOn("keep_awake", false) == "ok [true]")
    try blocks.wait(for: "")
    #expect(try inhibitors() == [])
  }

  @Test("keeps the machine awake while it is on, a signal a change")
  func flips() throws {
    let (client, daemon) = try scene()
    let earlier = client.announced("keep_awake", "State").count
    #expect(try inhibitors() == [])
    try turnOn(client)
    #expect(try machine.succeed("cat", "/proc/\(holder())/comm") == "toggled\n")
    #expect(try client.call("keep_awake", "Refresh") == "ok []")
    try turnOff(client)
    #expect(try client.call("keep_awake", "Refresh") == "ok []")
    let states = client.announced("keep_awake", "State").dropFirst(earlier)
    #expect(states == [#""on""#, #""off""#])
    withExtendedLifetime(daemon) {}
  }

  @Test(
    "outlives a logind that ends or crashes, and is unknown until there is another",
    arguments: [["stop"], ["kill", "--signal=KILL"]])
  func restart(_ how: [String]) throws {
    let (client, daemon) = try scene()
    let earlier = client.announced("keep_awake", "State").count
    try turnOn(client)
    let holder = try holder()
    let unit = "systemd-logind.service"
    // Else it is back so soon that the loss is not announced.
    let dropIn = "/run/systemd/system/\(unit).d/once.conf"
    try machine.write("[Service]\nRestart=no\n", to: dropIn)
    try machine.succeed("systemctl", "daemon-reload")
    defer { _ = try? machine.run(["sh", "-c", "rm \(dropIn); systemctl daemon-reload"]) }
    let outcome = try machine.run(["systemctl"] + how + [unit])
    #expect(outcome.status.isSuccess, "\(outcome.error)")
    try client.await("keep_awake", ["Reason": #""no-service""#, "State": #""unknown""#])
    #expect(try client.get("keep_awake", "IsOn") == "true")
    try machine.succeed("systemctl", "start", unit)
    try client.await("keep_awake", "on")
    #expect(try self.holder() == holder)
    let states = client.announced("keep_awake", "State").dropFirst(earlier)
    #expect(states == [#""on""#, #""unknown""#, #""on""#])
    #expect(
      client.announced("keep_awake", "ReasonText").suffix(2) == [
        #""org.freedesktop.login1 is not running""#, #""""#,
      ])
    try turnOff(client)
    withExtendedLifetime(daemon) {}
  }

  @Test(
    "ends with the daemon, even where that is killed and leaves a program behind",
    arguments: ["TERM", "KILL"])
  func ends(_ signal: String) throws {
    let fifo = machine.directory.path("left-behind-\(signal)")
    try machine.succeed("mkfifo", fifo)
    let (client, daemon) = try scene([
      "other.row": """
      [Row]
      Title=Other
      [Backend]
      Type=command
      State=echo on
      Watch=sh -c "echo $$ >\(fifo); exec sleep infinity"
      """
    ])
    let other = try machine.succeed("cat", fifo).dropLast()
    try turnOn(client)
    try machine.succeed("kill", "--signal", signal, try holder())
    try blocks.wait(for: "")
    #expect(try inhibitors() == [])
    if signal == "KILL" { try machine.succeed("kill", String(other)) }
    withExtendedLifetime(daemon) {}
  }

  @Test("is refused in logind's own words where the user may not")
  func refusal() throws {
    let rows = try rows()
    try machine.succeed("chmod", "755", rows)
    let script = """
      \(try Products.path("toggled")) --session --rows \(rows) --state /tmp/nobody &
      gdbus wait --session --timeout=\(Int(patience / .seconds(1))) org.toggled &&
      \(try Products.path("togglectl")) on keep_awake
      """
    let outcome = try machine.run(
      [
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "dbus-run-session", "--",
        "sh", "-c", script,
      ], environment: ["HOME": "/tmp"])
    #expect(!outcome.status.isSuccess)
    #expect(outcome.error.contains("org.freedesktop.login1 refuses: "), "\(outcome.error)")
    #expect(try inhibitors() == [])
  }
}

/// What logind keeps from happening, as it announces it.
@MainActor
private final class Blocks {
  private let loop: EventLoop
  private let connection: Connection
  private var match: MatchHandle?
  private var blocked: String?

  private static let manager: InterfaceName = "org.freedesktop.login1.Manager"

  init(_ machine: Machine) throws {
    loop = try EventLoop()
    connection = try Connection(.address(machine.systemBus))
    try connection.attach(to: loop)
    let proxy = Proxy(
      connection, destination: "org.freedesktop.login1", path: "/org/freedesktop/login1",
      interface: Self.manager)
    match = connection.addMatch(
      MatchRule(
        sender: nil, path: .object(proxy.path), interface: .properties, member: "PropertiesChanged")
    ) { [weak self] message in
      guard
        let (_, changed, _) = try? message.read(
          String.self, [String: Value].self, [String].self),
        let value = changed["BlockInhibited"]?.unwrapped.asString
      else { return }
      self?.blocked = value
    }
    proxy.get("BlockInhibited") { [weak self] in
      self?.blocked = (try? $0.get())?.unwrapped.asString
    }
  }

  /// Waits until this is what is blocked, in logind's order.
  func wait(for expected: String) throws {
    let end = EventLoop.now + patience
    while blocked != expected {
      guard EventLoop.now < end else {
        throw TestFailure("logind blocks '\(blocked ?? "")', expected '\(expected)'")
      }
      try loop.turn(atMost: end - EventLoop.now)
    }
  }
}
