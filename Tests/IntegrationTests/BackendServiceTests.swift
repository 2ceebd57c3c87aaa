// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// Services that come, go and come back, which is never taken for off; and Autostart.
@Suite("a dbus row and the life of its service")
struct BackendServiceTests {
  private static let name = "org.example.Radio"
  private static let on = ["property /radio org.example.Radio1 Powered b true", "own \(name)"]
  private static let off = ["property /radio org.example.Radio1 Powered b false", "own \(name)"]

  private func row(_ more: String = "") -> String {
    """
    [Backend]
    Type=dbus
    Service=\(Self.name)
    Path=/radio
    Interface=org.example.Radio1
    Property=Powered
    \(more)
    """
  }

  @Test("a service that comes after the daemon is read when it comes")
  func comesLater() throws {
    let scene = try BackendScene(["radio": row()])
    try scene.client.await("radio", ["Reason": #""no-service""#, "Available": "false"])
    try scene.requireAlive(["radio": "unknown"])
    let service = try scene.service(Self.on)
    try scene.client.await("radio", "on")
    #expect(try scene.client.get("radio", "Available") == "true")
    #expect(try scene.client.get("radio", "Reason") == #""""#)
    withExtendedLifetime(service) {}
  }

  @Test("a service that goes leaves IsOn as it was, and is read again when it returns")
  func restarts() throws {
    let scene = try BackendScene(["radio": row()])
    var service: SceneService? = try scene.service(Self.on)
    try scene.client.await("radio", "on")
    withExtendedLifetime(service) {}
    service = nil
    try scene.client.await("radio", "unknown")
    #expect(try scene.client.get("radio", "IsOn") == "true")
    #expect(try scene.client.get("radio", "Available") == "false")
    #expect(try scene.client.get("radio", "Reason") == #""no-service""#)
    service = try scene.service(Self.off)
    try scene.client.await("radio", "off")
    #expect(try scene.client.get("radio", "IsOn") == "false")
    #expect(scene.client.announced("radio", "IsOn") == ["true", "false"])
  }

  @Test("RunOnChange does not run for a loss")
  func lossRunsNothing() throws {
    var fifo: SceneFifo?
    let scene = try BackendScene([:]) { scene in
      let ran = try SceneFifo(scene.files.path("ran"))
      fifo = ran
      let script = try scene.files.write(
        "#!/bin/sh\necho $TOGGLED_STATE > \(ran.path)\n", to: "run", mode: 0o755)
      try scene.writeRow(
        "radio", "[Row]\nTitle=Radio\nRunOnChange=\(script)\n\(row())")
    }
    var service: SceneService? = try scene.service(Self.on)
    try scene.client.await("radio", "on")
    service = nil
    try scene.client.await("radio", "unknown")
    service = try scene.service(Self.on)
    try scene.client.await("radio", "on")
    // Had the program run before, its line would be first.
    try service?.tell("change /radio org.example.Radio1 Powered false")
    try scene.client.await("radio", "off")
    #expect(try fifo?.nextLine() == "off")
  }

  @Test("a row that went while its program ran starts anew when it is back")
  func programOfAnEarlierRow() throws {
    var fifo: SceneFifo?
    var row = ""
    let scene = try BackendScene([:]) { scene in
      let ran = try SceneFifo(scene.files.path("ran"))
      fifo = ran
      // It ends once the test has written a line.
      let gate = scene.files.path("gate")
      let script = try scene.files.write(
        "#!/bin/sh\necho $TOGGLED_STATE > \(ran.path)\nread line < \(gate)\n", to: "run",
        mode: 0o755)
      _ = try Program.run(["mkfifo", gate])
      row = "[Row]\nTitle=Lamp\nRunOnChange=\(script)\n[Backend]\nType=stored\n"
      try scene.writeRow("lamp", row)
    }
    let rows = ("/org/toggled", "org.toggled.Manager1", "Rows")
    try scene.client.await("lamp", "off")
    #expect(try scene.client.setOn("lamp", true) == "ok [true]")
    #expect(try fifo?.nextLine() == "on")
    try Files.remove(scene.files.path("rows/lamp.row"))
    try scene.client.awaitProperty(rows.0, rows.1, rows.2, "0")
    try scene.files.write("off\n", to: "state/lamp")
    try scene.writeRow("lamp", row)
    try scene.client.awaitProperty(rows.0, rows.1, rows.2, "1")
    try scene.client.await("lamp", "off")
    // Off is where it starts from, and no change.
    _ = try Program.run(["/bin/sh", "-c", "echo > \"$1\"", "sh", scene.files.path("gate")])
    #expect(try scene.client.setOn("lamp", true) == "ok [true]")
    #expect(try fifo?.nextLine() == "on")
    _ = try Program.run(["/bin/sh", "-c", "echo > \"$1\"", "sh", scene.files.path("gate")])
  }

  @Test("without Autostart neither reading nor refreshing starts the service, and a flip does")
  func activation() throws {
    let scene = try BackendScene(["radio": row()]) { try $0.addActivatable(Self.name, Self.off) }
    try scene.client.await("radio", ["Reason": #""no-service""#])
    #expect(try scene.client.call("radio", "Refresh") == "ok []")
    #expect(try scene.client.get("radio", "State") == #""unknown""#)
    let toggled = try scene.client.call("radio", "Toggle")
    #expect(toggled.hasPrefix("error org.toggled.Error.Unavailable "), "\(toggled)")
    #expect(try !scene.client.hasOwner(Self.name))
    #expect(try scene.client.setOn("radio", true) == "ok [true]")
    #expect(try scene.client.get("radio", "State") == #""on""#)
    #expect(try scene.client.hasOwner(Self.name))
  }

  @Test("without Autostart an Interval does not start the service")
  func intervalDoesNotActivate() throws {
    let clock = row("Interval=1").replacing("Radio", with: "Clock")
    let scene = try BackendScene(["radio": row("Interval=1"), "clock": clock]) {
      try $0.addActivatable(Self.name, Self.on)
    }
    let service = try scene.service(Self.on.map { $0.replacing("Radio", with: "Clock") })
    // Two of its intervals hold at least one of the other row's.
    try service.waitForCall("Get")
    try service.waitForCall("Get")
    try scene.client.await("radio", ["Reason": #""no-service""#])
    #expect(try !scene.client.hasOwner(Self.name))
  }

  @Test("with Autostart the service is started to be read")
  func autostart() throws {
    let scene = try BackendScene(["radio": row("Autostart=true")]) {
      try $0.addActivatable(Self.name, Self.on)
    }
    try scene.client.await("radio", "on")
    #expect(try scene.client.hasOwner(Self.name))
  }

  @Test("with Autostart what a service said before it left stands until it is read anew")
  func leavesWhenIdle() throws {
    let scene = try BackendScene(["radio": row("Autostart=true"), "other": row()]) {
      try $0.addActivatable(Self.name, Self.off + ["answer Leave quit"])
    }
    try scene.client.await("other", "off")
    let leave = "call \(Self.name) /radio org.example.Radio1 Leave '' '[]' 0"
    _ = try scene.client.wait(scene.client.start(leave))
    try scene.client.await("other", ["Reason": #""no-service""#])
    try scene.requireAlive(["radio": "off", "other": "unknown"])
    #expect(try scene.client.get("radio", "Available") == "true")
    #expect(try !scene.client.hasOwner(Self.name))

    try scene.addActivatable(Self.name, Self.on)
    #expect(try scene.client.call("radio", "Refresh") == "ok []")
    try scene.requireAlive(["radio": "on"])
    #expect(scene.client.announced("radio", "State") == [#""off""#, #""on""#])
  }

  @Test("a service that can't be started is absent, and a flip says why", arguments: [false, true])
  func failedActivation(autostart: Bool) throws {
    let scene = try BackendScene(["radio": row("Autostart=\(autostart)")]) {
      try $0.bus.addService(Self.name, command: "/nonexistent/radio")
    }
    try scene.client.await("radio", ["Reason": #""no-service""#])
    let answer = try scene.client.setOn("radio", true)
    #expect(answer.hasPrefix("error org.toggled.Error.Unavailable "), "\(answer)")
    #expect(answer.contains("Failed to execute program"), "\(answer)")
    try scene.requireAlive(["radio": "unknown"])
    if autostart {
      let text = try scene.client.get("radio", "ReasonText")
      #expect(text.contains("Failed to execute program"), "\(text)")
    }
  }

  @Test("a service that dies while it is asked is absent, not slow")
  func diesWhileRead() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(Self.on)
    try scene.client.await("radio", "on")
    try service.tell("answer Get quit")
    #expect(try scene.client.call("radio", "Refresh") == "ok []")
    #expect(try scene.client.get("radio", "Reason") == #""no-service""#)
    #expect(try scene.client.get("radio", "IsOn") == "true")
  }

  @Test("a service that dies during a flip makes it Unavailable")
  func diesWhileSet() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(Self.on)
    try scene.client.await("radio", "on")
    try service.tell("answer Set quit")
    let answer = try scene.client.setOn("radio", false)
    #expect(answer.hasPrefix("error org.toggled.Error.Unavailable "), "\(answer)")
    try scene.requireAlive(["radio": "unknown"])
  }
}
