// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// What a path names, after inode(7).
package enum FileKind: Hashable, Sendable {
  case regular, directory, symbolicLink, fifo, socket, characterDevice, blockDevice
  /// A kind that this program has no word for.
  case other
}

extension FileKind: CustomStringConvertible {
  /// A word for a message, such as `a directory`.
  package var description: String {
    switch self {
    case .regular: "a regular file"
    case .directory: "a directory"
    case .symbolicLink: "a symbolic link"
    case .fifo: "a FIFO"
    case .socket: "a socket"
    case .characterDevice: "a character device"
    case .blockDevice: "a block device"
    case .other: "no regular file"
    }
  }
}

/// The parts of stat(2) that anything here needs.
package struct FileStatus: Hashable, Sendable {
  package let kind: FileKind
  /// Bytes; 0 for procfs files, 4096 for sysfs files, whatever they hold.
  package let size: Int
  /// The permission bits, `0o7777` at most.
  package let permissions: UInt32
  /// The owner's user id.
  package let owner: UInt32
  /// Nanoseconds since 1970.
  package let modified: Int64
  package let device: UInt64
  package let inode: UInt64
  /// Whether it is the null device, wherever that is bound.
  package let isNullDevice: Bool

  init(_ status: stat) {
    var status = status
    // The type bits of a mode are the DT_ numbers shifted: IFTODT in dirent.h.
    kind =
      switch Int(status.st_mode >> 12 & 0o17) {
      case Int(DT_REG): .regular
      case Int(DT_DIR): .directory
      case Int(DT_LNK): .symbolicLink
      case Int(DT_FIFO): .fifo
      case Int(DT_SOCK): .socket
      case Int(DT_CHR): .characterDevice
      case Int(DT_BLK): .blockDevice
      default: .other
      }
    size = Int(status.st_size)
    permissions = status.st_mode & 0o7777
    owner = status.st_uid
    modified = clinux_modified_nanoseconds(&status)
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    isNullDevice = clinux_is_null_device(&status) != 0
  }
}
