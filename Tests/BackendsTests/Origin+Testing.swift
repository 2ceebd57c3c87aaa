// SPDX-License-Identifier: MIT

import Settings

extension Origin {
  /// A client that may not be asked anything.
  static let nobody = Origin(.client)
  /// A client that may be asked for a password.
  static let person = Origin(.client, isInteractive: true)
}
