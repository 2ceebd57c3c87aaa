// SPDX-License-Identifier: MIT

/// The version of the package: the daemon's `Version` property and `--version` of both programs.
package enum Version {
  /// As in CHANGELOG.md.
  package static let current = "0.1.0"
}
