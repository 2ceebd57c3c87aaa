// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport

/// A user's session without a screen: a bus, a home, and the programs of a desktop on them.
final class Desktop {
  let bus: PrivateBus
  private let home: TemporaryDirectory
  private var programs: [String: Program] = [:]
  private let client: SceneClient

  init() throws {
    home = try TemporaryDirectory()
    try home.makeDirectory("config")
    let runtime = try home.makeDirectory("run")
    chmod(runtime, 0o700)
    bus = try PrivateBus(
      environment: [
        "HOME": home.path, "XDG_CONFIG_HOME": home.path("config"), "XDG_RUNTIME_DIR": runtime,
      ])
    try bus.addService("ca.desrt.dconf", command: "/usr/libexec/dconf-service")
    client = try SceneClient(bus.address)
  }

  /// What programs of the session find in their environment.
  var environment: [String: String] {
    var environment = bus.sessionEnvironment
    environment["HOME"] = home.path
    environment["XDG_CONFIG_HOME"] = home.path("config")
    environment["XDG_RUNTIME_DIR"] = home.path("run")
    environment["WAYLAND_DISPLAY"] = display
    return environment
  }

  /// Writes a file in the home.
  @discardableResult
  func write(_ text: String, to name: String, mode: UInt32 = 0o644) throws -> String {
    try home.write(text, to: name, mode: mode)
  }

  /// A path in the home.
  func path(_ name: String) -> String { home.path(name) }

  /// What runs the daemon here, with its own arguments.
  private(set) var daemonPrefix: [String] = []

  // MARK: Programs

  /// Starts a program that runs until `stop`.
  @discardableResult
  func start(_ arguments: String..., environment: [String: String] = [:]) throws -> Program {
    let program = try Program(
      arguments, environment: self.environment.merging(environment) { $1 })
    programs[arguments[0]] = program
    return program
  }

  /// Starts a program, and waits until it, or what it starts, owns the name.
  func start(_ program: String, owning name: String) throws {
    // What it keeps by GSettings is not what is tested.
    try start(program, environment: ["GSETTINGS_BACKEND": "memory"])
    try awaitOwner(name)
  }

  /// Waits until somebody owns the name.
  func awaitOwner(_ name: String) throws {
    try client.awaitOwner(name)
  }

  /// Has the daemon find these scripts, by name, as what is in /usr/local/bin. It takes a mount
  /// namespace of its own.
  func replacePrograms(_ scripts: [String: String]) throws {
    for (name, text) in scripts { try write(text, to: "bin/\(name)", mode: 0o755) }
    let script = #"mount --bind "$1" /usr/local/bin && shift && exec "$@""#
    daemonPrefix = ["unshare", "--mount", "sh", "-c", script, "sh", path("bin")]
  }

  /// Ends a program.
  func stop(_ name: String) throws {
    guard let program = programs.removeValue(forKey: name) else {
      throw TestFailure("\(name) was not started")
    }
    try program.send(SIGTERM)
    try program.waitForExit()
  }

  /// Runs a program in the session to its end.
  func run(_ arguments: [String]) throws -> Program.Outcome {
    try Program.run(arguments, environment: environment)
  }

  // MARK: A screen that nobody sees

  private var display: String?
  /// The compositor's own places, for it runs as somebody else.
  private var compositorDirectory: TemporaryDirectory?

  /// Starts sway without a screen: what shows notifications needs one to show them on.
  func startCompositor() throws {
    let directory = try TemporaryDirectory()
    compositorDirectory = directory
    try directory.write(
      "xwayland disable\nexec echo display=$WAYLAND_DISPLAY\n", to: "config")
    let isRoot = geteuid() == 0
    // sway refuses to run as root.
    if isRoot { chown(directory.path, Self.nobody, Self.nobody) }
    let user = ["setpriv", "--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups"]
    let program = try Program(
      (isRoot ? user : []) + ["sway", "--config", directory.path("config")],
      environment: [
        "HOME": directory.path, "XDG_RUNTIME_DIR": directory.path, "WLR_BACKENDS": "headless",
        "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman",
      ])
    programs["sway"] = program
    let line = try program.waitForLine { $0.hasPrefix("display=") }
    display = directory.path(String(line.dropFirst("display=".count)))
  }

  private static let nobody: UInt32 = 65534

  // MARK: Sound that nobody hears

  /// Starts PipeWire with WirePlumber and with devices that go nowhere: two to play on, `one` and
  /// `two`, and two to record from, `three` and `four`.
  func startSound() throws {
    let devices = [
      ("one", "Audio/Sink"), ("two", "Audio/Sink"), ("three", "Audio/Source/Virtual"),
      ("four", "Audio/Source/Virtual"),
    ]
    let objects = devices.map { name, kind in
      """
      { factory = adapter, args = { factory.name = support.null-audio-sink, node.name = \(name),
        media.class = \(kind), audio.position = [ FL FR ] } }
      """
    }
    try write(
      "context.objects = [\n\(objects.joined(separator: "\n"))\n]\n",
      to: "config/pipewire/pipewire.conf.d/devices.conf")
    let pipewire = try start("pipewire", environment: ["PIPEWIRE_DEBUG": "3"])
    try pipewire.waitForLine(containing: "Listening on 'pipewire-0'", on: .error)
    try start("wireplumber")
  }

  /// Ends what `startSound` has started.
  func stopSound() throws {
    // In this order: WirePlumber complains on its way out else.
    for name in ["wireplumber", "pipewire"] { try stop(name) }
  }
}

// MARK: - The rows that ship

extension ShippedScene {
  /// The file of the row of this id, and the sections, by name.
  private static func files(of id: String) throws -> [String: String] {
    try files.filter { $0.key == "\(id).row" || $0.key.hasSuffix(".section") }
  }

  /// A daemon on the desktop's bus, with the row of this id.
  convenience init(_ id: String, on desktop: Desktop, environment: [String: String] = [:]) throws {
    for (name, text) in try Self.files(of: id) { try desktop.write(text, to: "rows/\(name)") }
    let daemon = try Program(
      desktop.daemonPrefix + [
        try Products.path("toggled"), "--session", "--rows", desktop.path("rows"), "--state",
        desktop.path("state"),
      ], environment: desktop.environment.merging(environment) { $1 })
    try self.init(desktop.bus.address, runner: { try desktop.run($0) }, daemon: daemon)
  }

  /// A daemon on the session bus of root in a machine, with the row of this id.
  convenience init(_ id: String, inSessionOf machine: Machine) throws {
    let environment = Machine.sessionEnvironment
    let directory = machine.directory
    for (name, text) in try Self.files(of: id) {
      try directory.write(text, to: "session-rows/\(name)")
    }
    let daemon = try machine.start(
      [
        Products.path("toggled"), "--session", "--rows", directory.path("session-rows"), "--state",
        directory.path("session-state"),
      ], environment: environment)
    try self.init(
      machine.sessionBus, runner: { try machine.run($0, environment: environment) }, daemon: daemon)
  }
}
