// SPDX-License-Identifier: MIT

import CLinux

/// What a descriptor is watched for, and what it is ready for: the bits of epoll_ctl(2).
package nonisolated struct Interest: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// EPOLLIN: a read would not block.
  package static let readable = Interest(rawValue: EPOLLIN.rawValue)
  /// EPOLLOUT: a write would not block.
  package static let writable = Interest(rawValue: EPOLLOUT.rawValue)
  /// EPOLLPRI: how sysfs and procfs files say that they changed.
  package static let priority = Interest(rawValue: EPOLLPRI.rawValue)
  /// EPOLLHUP: the other end is gone. Always told; alone it asks for nothing else.
  package static let hangup = Interest(rawValue: EPOLLHUP.rawValue)
  /// EPOLLERR: an error, or nobody reads the pipe any more. Always told, as `.hangup` is.
  package static let error = Interest(rawValue: EPOLLERR.rawValue)

  /// What is told whether it was asked for or not.
  static let always = Interest(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)

  /// What epoll is asked for. It tells of hang-ups and errors unasked, again and again, except of
  /// a one-shot descriptor that has had its shot: that is how an empty interest stays silent, at
  /// the price of at most one event that the loop drops.
  var mask: UInt32 { isEmpty ? EPOLLONESHOT.rawValue : rawValue }
}
