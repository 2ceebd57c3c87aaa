// SPDX-License-Identifier: MIT

import CDBus
import DBusTypes
import System

/// Where a bus is to be found.
nonisolated package enum BusAddress: Hashable, Sendable {
  /// The machine's bus: `$DBUS_SYSTEM_BUS_ADDRESS`, else as `machine`.
  case system
  /// The machine's bus at the specification's well-known address, whatever the environment says.
  case machine
  /// The user's bus: `$DBUS_SESSION_BUS_ADDRESS`, else the socket `bus` in `$XDG_RUNTIME_DIR`.
  ///
  /// A bus is never launched for want of one, which is what libdbus would do on its own.
  case session
  /// An address of the D-Bus specification, such as `unix:path=/run/user/1000/bus`.
  case address(String)

  /// The address as text.
  func resolve() throws(DBusError) -> String {
    switch self {
    case .system:
      if let address = Environment.value("DBUS_SYSTEM_BUS_ADDRESS"), !address.isEmpty {
        return try Self.checked(address)
      }
      return try BusAddress.machine.resolve()
    case .machine:
      return "unix:path=/var/run/dbus/system_bus_socket"
    case .session:
      if let address = Environment.value("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty {
        return try Self.checked(address)
      }
      guard let directory = Environment.value("XDG_RUNTIME_DIR"), !directory.isEmpty else {
        throw DBusError(
          .noServer,
          "no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
      }
      return "unix:path=" + Self.escaped(directory + "/bus")
    case .address(let address):
      return try Self.checked(address)
    }
  }

  /// The path of the socket, where the address is plainly that of one.
  package var socketPath: String? {
    let prefix = "unix:path="
    guard let text = try? resolve(), text.hasPrefix(prefix) else { return nil }
    let path = text.dropFirst(prefix.count).prefix { $0 != "," && $0 != ";" }
    return path.contains("%") ? nil : String(path)
  }

  private static func checked(_ address: String) throws(DBusError) -> String {
    guard !address.utf8.contains(0) else {
      throw DBusError(.badAddress, "the bus address holds U+0000")
    }
    guard !address.hasPrefix("autolaunch:") else {
      throw DBusError(.badAddress, "a bus is not launched from here: expected unix: or tcp:")
    }
    return address
  }

  /// A value with the bytes escaped that an address gives a meaning. Specification: "Server
  /// Addresses".
  private static func escaped(_ value: String) -> String {
    var result = ""
    for byte in value.utf8 {
      let scalar = Unicode.Scalar(byte)
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "/", ".", "*", "\\":
        result.unicodeScalars.append(scalar)
      default:
        let digits = String(byte, radix: 16)
        result += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
      }
    }
    return result
  }
}
