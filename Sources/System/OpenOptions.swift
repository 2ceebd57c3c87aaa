// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// How open(2) opens. O_CLOEXEC is always set: nothing leaks into a child by accident.
package struct OpenOptions: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// O_RDONLY, which is 0: the absence of O_WRONLY and O_RDWR.
  package static let readOnly: OpenOptions = []
  /// O_WRONLY
  package static let writeOnly = OpenOptions(rawValue: O_WRONLY)
  /// O_CREAT
  package static let create = OpenOptions(rawValue: O_CREAT)
  /// O_EXCL
  package static let exclusive = OpenOptions(rawValue: O_EXCL)
  /// O_TRUNC
  package static let truncate = OpenOptions(rawValue: O_TRUNC)
  /// O_NONBLOCK
  package static let nonBlocking = OpenOptions(rawValue: O_NONBLOCK)
  /// O_NOCTTY
  package static let noControllingTerminal = OpenOptions(rawValue: O_NOCTTY)
  /// O_NOFOLLOW
  package static let noFollow = OpenOptions(rawValue: O_NOFOLLOW)
  /// O_DIRECTORY
  package static let directory = OpenOptions(rawValue: O_DIRECTORY)
}
