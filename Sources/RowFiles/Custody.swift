// SPDX-License-Identifier: MIT

import System

/// Who besides some users could change the files of a search path. What it finds of a directory it
/// keeps.
final class Custody {
  private let owners: Set<UInt32>
  private var directories: [String: Weakness?] = [:]

  init(of owners: Set<UInt32>) {
    self.owners = owners
  }

  /// How somebody else could change what is in the directory, or which directory it is.
  func weakness(of directory: String) throws(Errno) -> Weakness? {
    if let found = directories[directory] { return found }
    let found = try Files.weakness(of: directory, owners: owners)
    directories[directory] = .some(found)
    return found
  }

  /// The same for a file, and for what it leads to where it is a link.
  func weakness(ofFile path: String) throws(Errno) -> Weakness? {
    if let found = try weakness(of: PathParts(path).directory) { return found }
    return try Files.weakness(ofEntry: path, owners: owners)
  }
}
