// SPDX-License-Identifier: MIT

/// A path cut at its last slash, as dirname(3) and basename(3) cut it.
package struct PathParts: Hashable, Sendable {
  /// `.` when the path has no directory of its own.
  package let directory: String
  package let name: String

  package init(_ path: String) {
    let slash = UInt8(ascii: "/")
    var bytes = Substring(path).utf8
    while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
    guard let cut = bytes.lastIndex(of: slash) else {
      (directory, name) = (".", String(Substring(bytes)))
      return
    }
    name = String(Substring(bytes[bytes.index(after: cut)...]))
    var parent = bytes[..<cut]
    while parent.last == slash { parent.removeLast() }
    directory = parent.isEmpty ? "/" : String(Substring(parent))
  }
}
