// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport

/// A bus like the system's, with services on it as they are or as python-dbusmock models them.
final class SystemServices {
  let bus: PrivateBus
  /// Talks to the services.
  let client: SceneClient
  private var programs: [Program] = []

  init(on bus: PrivateBus? = nil) throws {
    self.bus = try bus ?? PrivateBus(.system)
    client = try SceneClient(self.bus.address)
  }

  /// Has the program run for as long as this is there.
  func keep(_ program: Program) {
    programs.append(program)
  }

  /// Ends the programs that were kept.
  func endAll() throws {
    for program in programs {
      try program.send(SIGTERM)
      try program.waitForExit()
    }
    programs = []
  }

  /// Has a daemon on another bus find this one.
  var environment: [String: String] {
    ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
  }

  /// Starts a template of python-dbusmock and waits until it owns its name.
  func mock(_ template: String, _ name: String) throws -> Program {
    let program = try Program(
      [Python.path, "-m", "dbusmock", "--system", "--template", template],
      environment: bus.systemEnvironment)
    try client.awaitOwner(name)
    return program
  }

  /// Calls a method that must succeed; `values` are JSON.
  func call(
    _ name: String, _ path: String, _ interface: String, _ member: String, _ signature: String,
    _ values: String
  ) throws {
    let answer = try client.wait(
      client.start("call \(name) \(path) \(interface) \(member) \(signature) '\(values)' 0"))
    guard answer.hasPrefix("ok ") else { throw TestFailure("\(member): \(answer)") }
  }

  /// Has the modelled logind say that the machine is about to sleep, or has woken up.
  func prepareForSleep(_ isBefore: Bool) throws {
    try call(
      "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.DBus.Mock",
      "EmitSignal", "sssav",
      #"["org.freedesktop.login1.Manager","PrepareForSleep","b",[["b",\#(isBefore)]]]"#)
  }
}

/// BlueZ as python-dbusmock models it.
struct MockedBlueZ {
  let services: SystemServices
  let program: Program

  init(_ services: SystemServices) throws {
    self.services = services
    program = try services.mock("bluez5", "org.bluez")
  }

  /// An adapter comes, powered as python-dbusmock has it.
  func add(_ adapter: String) throws {
    try services.call(
      "org.bluez", "/", "org.bluez.Mock", "AddAdapter", "ss", #"["\#(adapter)","desk"]"#)
  }

  func remove(_ adapter: String) throws {
    try services.call("org.bluez", "/", "org.bluez.Mock", "RemoveAdapter", "s", #"["\#(adapter)"]"#)
  }

  /// Another program powers the adapter, or not.
  func power(_ adapter: String, _ on: Bool) throws {
    try services.call(
      "org.bluez", "/org/bluez/\(adapter)", "org.freedesktop.DBus.Properties", "Set", "ssv",
      #"["org.bluez.Adapter1","Powered",["b",\#(on)]]"#)
  }

  /// Whether the adapter is powered.
  func isPowered(_ adapter: String) throws -> Bool {
    let answer = try services.client.wait(
      services.client.start(
        "call org.bluez /org/bluez/\(adapter) org.freedesktop.DBus.Properties Get ss "
          + #"'["org.bluez.Adapter1","Powered"]' 0"#))
    return answer == #"ok [["b", true]]"#
  }

  static let row = """
    [Backend]
    Type=dbus
    Bus=system
    Service=org.bluez
    Implements=org.bluez.Adapter1
    Property=Powered
    """
}
