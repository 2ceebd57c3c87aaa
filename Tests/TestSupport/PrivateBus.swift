// SPDX-License-Identifier: MIT

import Glibc
import System

/// A message bus of one test: a real dbus-daemon with a configuration of its own.
package final class PrivateBus {
  /// Which bus it is like.
  package enum Kind: Hashable, Sendable {
    /// The limits of the distribution's session.conf, which are far away.
    case session
    /// The daemon's built-in limits, as on a system bus: 128 outstanding calls and 512 match rules
    /// a connection among them.
    case system
  }

  /// `unix:path=…`, the same after `restart()`.
  package let address: String
  /// Where activation files belong (`addService`), and the socket and the configuration are.
  package let directory: TemporaryDirectory
  /// The running daemon; nil after `stop()`.
  package private(set) var daemon: Program?
  private let environment: [String: String]

  /// Starts the daemon and returns once clients can connect.
  /// - Parameters:
  ///   - policy: more elements for the configuration, such as `<policy user="root">…</policy>`;
  ///     the default one allows everything.
  ///   - environment: variables for the daemon and for the services it activates.
  package init(
    _ kind: Kind = .session, policy: String = "", environment: [String: String] = [:]
  ) throws {
    directory = try TemporaryDirectory()
    address = "unix:path=\(directory.path)/bus"
    self.environment = environment.merging(["HOME": directory.path]) { given, _ in given }
    try directory.makeDirectory("services")
    let configuration = Self.configuration(kind, directory.path, policy)
    try directory.write(configuration, to: "bus.conf")
    try start()
  }

  /// What a client needs in its environment to find this as its session bus, and nothing else.
  package var sessionEnvironment: [String: String] {
    ["DBUS_SESSION_BUS_ADDRESS": address, "HOME": directory.path]
  }

  /// What a client needs in its environment to find this as the system bus.
  package var systemEnvironment: [String: String] {
    ["DBUS_SYSTEM_BUS_ADDRESS": address, "HOME": directory.path]
  }

  /// Ends the daemon, and waits until it has. Clients lose their connection.
  package func stop() throws {
    guard let daemon else { return }
    try daemon.send(SIGTERM)
    try daemon.waitForExit()
    self.daemon = nil
  }

  /// Ends the daemon if it runs, and starts one anew at the same address.
  package func restart() throws {
    try stop()
    try start()
  }

  /// Makes a name activatable: the daemon runs `command` when someone calls it. The daemon looks
  /// at its directory by inotify or when it is asked to; `reload()` makes sure.
  package func addService(_ name: String, command: String) throws {
    try directory.write(
      "[D-BUS Service]\nName=\(name)\nExec=\(command)\n", to: "services/\(name).service")
    try reload()
  }

  /// Makes the daemon read its configuration and its services again, and waits until it has.
  package func reload() throws {
    try call("ReloadConfig")
  }

  /// Calls a method without arguments of the bus itself.
  private func call(_ member: String) throws {
    let outcome = try Program.run([
      "dbus-send", "--bus=\(address)", "--print-reply", "--dest=org.freedesktop.DBus",
      "/org/freedesktop/DBus", "org.freedesktop.DBus.\(member)",
    ])
    guard outcome.status.isSuccess else {
      throw TestFailure("\(member) failed on the private bus: \(outcome.error)")
    }
  }

  private func start() throws {
    let daemon = try Program(
      [
        "dbus-daemon", "--config-file=\(directory.path)/bus.conf", "--nofork", "--nopidfile",
        "--nosyslog", "--print-address=1",
      ],
      environment: environment)
    // It prints its address once it listens.
    try daemon.waitForLine(containing: "unix:path=")
    self.daemon = daemon
  }

  private static func configuration(
    _ kind: Kind, _ directory: String, _ policy: String
  ) -> String {
    let limits = kind == .session ? sessionLimits : [:]
    let limitElements = limits.sorted { $0.key < $1.key }
      .map { "  <limit name=\"\($0.key)\">\($0.value)</limit>" }
    return """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>\(kind == .session ? "session" : "system")</type>
        <keep_umask/>
        <listen>unix:path=\(directory)/bus</listen>
        <auth>EXTERNAL</auth>
        <servicedir>\(directory)/services</servicedir>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow receive_sender="*" eavesdrop="true"/>
          <allow own="*"/>
          <allow user="*"/>
        </policy>
        \(policy)
      \(limitElements.joined(separator: "\n"))
      </busconfig>

      """
  }

  /// As in the distribution's session.conf; the daemon's own are those of a system bus.
  private static let sessionLimits = [
    "max_incoming_bytes": 1_000_000_000,
    "max_incoming_unix_fds": 250_000_000,
    "max_outgoing_bytes": 1_000_000_000,
    "max_outgoing_unix_fds": 250_000_000,
    "max_message_size": 1_000_000_000,
    "service_start_timeout": 120_000,
    "auth_timeout": 240_000,
    "pending_fd_timeout": 150_000,
    "max_completed_connections": 100_000,
    "max_incomplete_connections": 10_000,
    "max_connections_per_user": 100_000,
    "max_pending_service_starts": 10_000,
    "max_names_per_connection": 50_000,
    "max_match_rules_per_connection": 50_000,
    "max_replies_per_connection": 50_000,
  ]
}
