// SPDX-License-Identifier: MIT

/// What happened in a watched directory. Names are of its entries; a name that is not UTF-8 is
/// not told, as `Files.list` does not list it.
package nonisolated enum DirectoryEvent: Hashable, Sendable {
  /// A new name: a file that may still be empty, a directory, a link.
  case created(String)
  /// Whoever wrote the file closed it, or its permissions or times changed.
  case changed(String)
  /// The directory's own owner, permissions or times changed.
  case attributes
  /// The name was removed.
  case removed(String)
  /// The name was given by a rename, perhaps over another file: an editor's atomic save.
  case movedIn(String)
  /// The name was taken away by a rename.
  case movedOut(String)
  /// More happened than the kernel kept: list the directory again.
  case overflow
  /// The path no longer leads to the directory that was watched: it was removed, renamed or
  /// unmounted. The last event; a new watch is the owner's to make.
  case gone
}
