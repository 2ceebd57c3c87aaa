// SPDX-License-Identifier: MIT

import Glibc

extension Errno {
  /// EPERM
  package static let notPermitted = Errno(rawValue: EPERM)
  /// ENOENT
  package static let noSuchFileOrDirectory = Errno(rawValue: ENOENT)
  /// ESRCH
  package static let noSuchProcess = Errno(rawValue: ESRCH)
  /// EINTR
  package static let interrupted = Errno(rawValue: EINTR)
  /// ENOEXEC
  package static let notExecutableFormat = Errno(rawValue: ENOEXEC)
  /// EBADF
  package static let badFileDescriptor = Errno(rawValue: EBADF)
  /// ECHILD
  package static let noChildProcess = Errno(rawValue: ECHILD)
  /// ENXIO
  package static let noSuchDeviceOrAddress = Errno(rawValue: ENXIO)
  /// ENODEV
  package static let noSuchDevice = Errno(rawValue: ENODEV)
  /// EAGAIN, which EWOULDBLOCK equals on Linux
  package static let wouldBlock = Errno(rawValue: EAGAIN)
  /// EACCES
  package static let permissionDenied = Errno(rawValue: EACCES)
  /// EFAULT
  package static let badAddress = Errno(rawValue: EFAULT)
  /// EEXIST
  package static let fileExists = Errno(rawValue: EEXIST)
  /// ENOTDIR
  package static let notDirectory = Errno(rawValue: ENOTDIR)
  /// EISDIR
  package static let isDirectory = Errno(rawValue: EISDIR)
  /// EINVAL
  package static let invalidArgument = Errno(rawValue: EINVAL)
  /// EMFILE
  package static let tooManyOpenFiles = Errno(rawValue: EMFILE)
  /// ENOSPC
  package static let noSpace = Errno(rawValue: ENOSPC)
  /// EROFS
  package static let readOnlyFileSystem = Errno(rawValue: EROFS)
  /// EPIPE
  package static let brokenPipe = Errno(rawValue: EPIPE)
  /// ENAMETOOLONG
  package static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// ELOOP
  package static let tooManySymbolicLinks = Errno(rawValue: ELOOP)
  /// EMSGSIZE
  package static let messageTooLong = Errno(rawValue: EMSGSIZE)
  /// EOPNOTSUPP
  package static let notSupported = Errno(rawValue: EOPNOTSUPP)
  /// ENOTCONN
  package static let notConnected = Errno(rawValue: ENOTCONN)
  /// ETIMEDOUT
  package static let timedOut = Errno(rawValue: ETIMEDOUT)
  /// ECONNREFUSED
  package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  /// ECANCELED
  package static let cancelled = Errno(rawValue: ECANCELED)
}
