// SPDX-License-Identifier: MIT

import DBusTypes

// The names of systemd's login service; see org.freedesktop.login1(5).

extension BusName {
  nonisolated static let logind: BusName = "org.freedesktop.login1"
}

extension ObjectPath {
  nonisolated static let logind: ObjectPath = "/org/freedesktop/login1"
}

extension InterfaceName {
  nonisolated static let logindManager: InterfaceName = "org.freedesktop.login1.Manager"
}
