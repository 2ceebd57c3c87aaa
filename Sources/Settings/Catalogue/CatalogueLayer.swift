// SPDX-License-Identifier: MIT

/// A directory of row files, one of several that are read in order, where a later one wins.
package struct CatalogueLayer: Hashable, Sendable {
  /// The directory's path.
  package var directory: String
  /// Whether it belongs to the user: what the administrator's directories lock can't be changed
  /// from it.
  package var isUserLayer: Bool

  /// A layer of the files in `directory`; slashes at the end of the path do not count.
  package init(_ directory: String, isUserLayer: Bool = false) {
    var path = Substring(directory).utf8
    while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
    self.directory = String(Substring(path))
    self.isUserLayer = isUserLayer
  }
}
