// SPDX-License-Identifier: MIT

import System

/// The source tree that the tests were built from.
package enum Project {
  private static let directory = PathParts(PathParts(PathParts(#filePath).directory).directory)
    .directory

  /// The path of a file or folder, by its path in the tree.
  package static func path(_ path: String) -> String { "\(directory)/\(path)" }
}
