// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// Rows of several backends, with services as they are, as python-dbusmock models them, and as
/// they answer at their worst.
@Suite("a row that is made of several backends", .serialized)
struct BackendCompoundTests {
  private let system: PrivateBus
  private let client: SceneClient

  init() throws {
    system = try PrivateBus(.system)
    client = try SceneClient(system.address)
  }

  private func start(_ arguments: [String], _ name: String) throws -> Program {
    let program = try Program(arguments, environment: system.systemEnvironment)
    try client.awaitOwner(name)
    return program
  }

  private func mock(_ template: String, _ name: String) throws -> Program {
    try start([Python.path, "-m", "dbusmock", "--system", "--template", template], name)
  }

  private func call(
    _ name: String, _ path: String, _ interface: String, _ member: String, _ signature: String,
    _ values: String
  ) throws -> String {
    try client.wait(
      client.start("call \(name) \(path) \(interface) \(member) \(signature) '\(values)' 0"))
  }

  // MARK: Bluetooth

  private static let adapter = "/org/bluez/hci0"

  /// A radio's block, in a file that says whether it is gone, and a row that lifts it before it
  /// powers the adapter. Who flips the block writes a line.
  private func bluetooth(
    _ power: String, timeout: Int = RowText.ample
  ) throws -> (scene: BackendScene, flips: SceneFifo, block: String) {
    var fifo: SceneFifo?
    var block = ""
    let scene = try BackendScene(
      [:], environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.address]
    ) { scene in
      let flips = try SceneFifo(scene.files.path("flips"))
      fifo = flips
      block = try scene.files.write("off\n", to: "block")
      let script = try scene.files.write(
        "#!/bin/sh\necho $1 > \(block)\necho $1 > \(flips.path)\n", to: "flip", mode: 0o755)
      try scene.writeRow(
        "bluetooth",
        """
        [Row]
        Title=Bluetooth
        Timeout=\(timeout)
        [Backend]
        Type=sequence
        Steps=unblock;power
        [Backend.unblock]
        Type=command
        State=cat \(block)
        On=\(script) on
        Off=\(script) off
        [Backend.power]
        Type=dbus
        Bus=system
        Service=org.bluez
        \(power)
        Property=Powered

        """)
    }
    guard let fifo else { throw TestFailure("there is no FIFO") }
    return (scene, fifo, block)
  }

  private func text(of path: String) throws -> String {
    String(decoding: try Files.read(path, limit: 64), as: UTF8.self)
  }

  @Test("Bluetooth is unblocked, and powered once BlueZ has an adapter, whatever its number")
  func adapterAppears() throws {
    let (scene, flips, block) = try bluetooth("Implements=org.bluez.Adapter1")
    func add(_ name: String) throws {
      let answer = try call(
        "org.bluez", "/", "org.bluez.Mock", "AddAdapter", "ss", #"["\#(name)","desk"]"#)
      #expect(answer.hasPrefix("ok "), "\(answer)")
    }
    // A radio that is blocked is off, and there is nothing to power.
    try scene.client.await("bluetooth", ["Reason": #""no-service""#, "State": #""off""#])
    let bluez = try mock("bluez5", "org.bluez")
    try scene.client.await("bluetooth", ["Reason": #""no-device""#, "State": #""off""#])
    let flip = try scene.client.startSetOn("bluetooth", true)
    #expect(try flips.nextLine() == "on")
    try add("hci0")
    #expect(try scene.client.wait(flip) == "ok [true]")
    #expect(try scene.client.get("bluetooth", "Reason") == #""""#)
    #expect(try scene.client.setOn("bluetooth", false) == "ok [true]")
    #expect(try text(of: block) == "on\n")
    #expect(try scene.client.setOn("bluetooth", true) == "ok [true]")
    _ = try call("org.bluez", "/", "org.bluez.Mock", "RemoveAdapter", "s", #"["hci0"]"#)
    try scene.client.await("bluetooth", ["Reason": #""no-device""#, "State": #""unknown""#])
    try add("hci2")
    try scene.client.await("bluetooth", "on")
    #expect(try scene.client.setOn("bluetooth", false) == "ok [true]")
    let powered = try call(
      "org.bluez", "/org/bluez/hci2", "org.freedesktop.DBus.Properties", "Get", "ss",
      #"["org.bluez.Adapter1","Powered"]"#)
    #expect(powered == #"ok [["b", false]]"#)
    withExtendedLifetime(bluez) {}
  }

  private func service(_ more: String...) throws -> SceneService {
    try SceneService(
      system.address,
      ["property \(Self.adapter) org.bluez.Adapter1 Powered b false"] + more + ["own org.bluez"])
  }

  /// A time in which a flip is to come to nothing, long enough for its programs to run.
  private static let brief = 5

  private static let onePath = "Path=\(adapter)\nInterface=org.bluez.Adapter1"

  @Test("BlueZ rejects the power until it has seen that the block is gone, and then takes it")
  func race() throws {
    let (scene, flips, _) = try bluetooth(Self.onePath)
    let service = try service(
      "answer Set error org.bluez.Error.Blocked 'Blocked through rfkill' 2")
    try scene.client.await("bluetooth", "off")
    #expect(try scene.client.setOn("bluetooth", true) == "ok [true]")
    #expect(try flips.nextLine() == "on")
    #expect(service.countCalls("Set") == 3)
    #expect(scene.client.announced("bluetooth", "State") == [#""off""#, #""on""#])
  }

  @Test("a step that fails is named, and the block that was lifted is back")
  func refused() throws {
    let (scene, flips, block) = try bluetooth(Self.onePath)
    let service = try service("answer Set error org.bluez.Error.NotAuthorized 'ask an adult'")
    try scene.client.await("bluetooth", "off")
    let answer = try scene.client.setOn("bluetooth", true)
    #expect(
      answer.hasPrefix("error org.freedesktop.DBus.Error.AccessDenied "), "\(answer)")
    #expect(
      answer.contains("step power failed: org.bluez refuses: ask an adult"), "\(answer)")
    #expect(try flips.nextLine() == "on")
    #expect(try flips.nextLine() == "off")
    #expect(try text(of: block) == "off\n")
    #expect(try scene.client.get("bluetooth", "State") == #""off""#)
    #expect(service.countCalls("Set") == 1)
  }

  @Test("a flip that comes to nothing tells which step it was, before the row gives up")
  func deadline() throws {
    let (scene, flips, _) = try bluetooth(Self.onePath, timeout: Self.brief)
    let service = try service("answer Set ignore")
    try scene.client.await("bluetooth", "off")
    let answer = try scene.client.setOn("bluetooth", true)
    #expect(answer.hasPrefix("error org.toggled.Error.TimedOut "), "\(answer)")
    #expect(answer.contains("step power failed: not on in time"), "\(answer)")
    #expect(try flips.nextLine() == "on")
    #expect(try flips.nextLine() == "off")
    withExtendedLifetime(service) {}
  }

  @Test("a row that is off says why it may not come on, and a flip tells all the same")
  func absent() throws {
    let (scene, flips, _) = try bluetooth(Self.onePath, timeout: Self.brief)
    try scene.client.await("bluetooth", ["Reason": #""no-service""#, "State": #""off""#])
    let text = try scene.client.get("bluetooth", "ReasonText")
    #expect(text == #""power: org.bluez is not running""#)
    let answer = try scene.client.call("bluetooth", "Toggle")
    #expect(answer.hasPrefix("error org.toggled.Error.TimedOut "), "\(answer)")
    #expect(answer.contains("step power failed: not on in time: "), "\(answer)")
    #expect(answer.contains("org.bluez"), "\(answer)")
    #expect(try flips.nextLine() == "on")
    #expect(try flips.nextLine() == "off")
    #expect(try scene.client.get("bluetooth", "State") == #""off""#)
  }

  // MARK: Power profiles

  private static func profiles(_ name: String, _ path: String) -> String {
    """
    Type=dbus
    Bus=system
    Service=\(name)
    Path=\(path)
    Interface=\(name)
    Property=ActiveProfile
    On='power-saver'
    Off='balanced';'performance'

    """
  }

  private static let newName = "org.freedesktop.UPower.PowerProfiles"
  private static let newPath = "/org/freedesktop/UPower/PowerProfiles"
  private static let oldName = "net.hadess.PowerProfiles"
  private static let oldPath = "/net/hadess/PowerProfiles"
  private static let saver =
    "[Backend]\nType=first\nOf=upower;hadess\n[Backend.upower]\n" + profiles(newName, newPath)
    + "[Backend.hadess]\n" + profiles(oldName, oldPath)

  @Test("power-profiles-daemon serves the row by either name, and the new one goes first")
  func powerProfiles() throws {
    let polkit = try mock("polkitd", "org.freedesktop.PolicyKit1")
    _ = try call(
      "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
      "org.freedesktop.DBus.Mock", "AllowUnknown", "b", "[true]")
    let scene = try BackendScene(
      ["saver": Self.saver], environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.address])
    try scene.client.await("saver", ["Reason": #""no-service""#])
    let text = try scene.client.get("saver", "ReasonText")
    #expect(text == #""none of \#(Self.newName), \#(Self.oldName) is running""#)
    let old = try start(["/usr/libexec/power-profiles-daemon"], Self.oldName)
    try scene.client.await("saver", "off")
    #expect(try scene.client.setOn("saver", true) == "ok [true]")
    let active = try call(
      Self.oldName, Self.oldPath, "org.freedesktop.DBus.Properties", "Get", "ss",
      #"["\#(Self.oldName)","ActiveProfile"]"#)
    #expect(active == #"ok [["s", "power-saver"]]"#)

    var new: SceneService? = try SceneService(
      system.address,
      [
        #"property \#(Self.newPath) \#(Self.newName) ActiveProfile s '"balanced"'"#,
        "own \(Self.newName)",
      ])
    try scene.client.await("saver", "off")
    #expect(try scene.client.setOn("saver", true) == "ok [true]")
    try new?.waitForCall("Set")
    try new?.tell(#"change \#(Self.newPath) \#(Self.newName) ActiveProfile '"performance"'"#)
    try scene.client.await("saver", "off")
    new = nil
    try scene.client.await("saver", "on")
    let states = ["unknown", "off", "on", "off", "on", "off", "on"].map { "\"\($0)\"" }
    #expect(scene.client.announced("saver", "State") == Array(states.dropFirst()))
    withExtendedLifetime((polkit, old)) {}
  }

  @Test("a flip starts the one that can be started, though none runs")
  func started() throws {
    let scene = try BackendScene(
      ["saver": Self.saver], environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.address])
    let commands = try scene.files.write(
      #"property \#(Self.oldPath) \#(Self.oldName) ActiveProfile s '"balanced"'"#
        + "\nown \(Self.oldName)\n", to: "commands")
    try system.addService(
      Self.oldName,
      command: "\(Python.path) \(Scripts.path("backend_service.py")) starter \(commands)")
    try scene.client.await("saver", ["Reason": #""no-service""#])
    #expect(try !client.hasOwner(Self.oldName))
    #expect(try scene.client.setOn("saver", true) == "ok [true]")
    #expect(try client.hasOwner(Self.oldName))
    #expect(try scene.client.get("saver", "State") == #""on""#)
  }

  @Test("an edit of one part starts the row anew, and a drop-in can put another one first")
  func edited() throws {
    let scene = try BackendScene([:]) { scene in
      try scene.files.write("1\n", to: "one")
      try scene.files.write("0\n", to: "two")
      try scene.writeRow(
        "lamp",
        "[Backend]\nType=first\nOf=one\n[Backend.one]\nType=file\nPath=\(scene.files.path("one"))\n"
      )
    }
    try scene.client.await("lamp", "on")
    try scene.files.write(
      "[Backend.one]\nInvert=true\n", to: "rows/lamp.row.d/10.conf")
    try scene.client.await("lamp", "off")
    try scene.files.write(
      "[Backend.one]\nInvert=false\n[Backend]\nOf=two;one\n[Backend.two]\nType=file\n"
        + "Path=\(scene.files.path("two"))\nInvert=true\n",
      to: "rows/lamp.row.d/10.conf")
    try scene.client.await("lamp", "on")
    #expect(try scene.client.setOn("lamp", false) == "ok [true]")
    #expect(try text(of: scene.files.path("two")) == "1\n")
    try Files.remove(scene.files.path("two"))
    try scene.client.await("lamp", "on")
  }
}
