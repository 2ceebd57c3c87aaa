// SPDX-License-Identifier: MIT

package import DBus
package import Settings

extension BusAddress {
  /// The bus of this scope, where the environment says that it is.
  nonisolated package init(_ scope: Scope) {
    switch scope {
    case .system: self = .system
    case .session: self = .session
    }
  }
}
