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
  /// EIO
  package static let inputOutputError = Errno(rawValue: EIO)
  /// ENXIO
  package static let noSuchAddressOrDevice = Errno(rawValue: ENXIO)
  /// E2BIG
  package static let argumentListTooLong = Errno(rawValue: E2BIG)
  /// ENOEXEC
  package static let notExecutableFormat = Errno(rawValue: ENOEXEC)
  /// EBADF
  package static let badFileDescriptor = Errno(rawValue: EBADF)
  /// ECHILD
  package static let noChildProcess = Errno(rawValue: ECHILD)
  /// EAGAIN, which EWOULDBLOCK equals on Linux
  package static let wouldBlock = Errno(rawValue: EAGAIN)
  /// ENOMEM
  package static let noMemory = Errno(rawValue: ENOMEM)
  /// EACCES
  package static let permissionDenied = Errno(rawValue: EACCES)
  /// EFAULT
  package static let badAddress = Errno(rawValue: EFAULT)
  /// EBUSY
  package static let busy = Errno(rawValue: EBUSY)
  /// EEXIST
  package static let fileExists = Errno(rawValue: EEXIST)
  /// ENODEV
  package static let noSuchDevice = Errno(rawValue: ENODEV)
  /// ENOTDIR
  package static let notDirectory = Errno(rawValue: ENOTDIR)
  /// EISDIR
  package static let isDirectory = Errno(rawValue: EISDIR)
  /// EINVAL
  package static let invalidArgument = Errno(rawValue: EINVAL)
  /// ENFILE
  package static let tooManyOpenFilesInSystem = Errno(rawValue: ENFILE)
  /// EMFILE
  package static let tooManyOpenFiles = Errno(rawValue: EMFILE)
  /// EFBIG
  package static let fileTooLarge = Errno(rawValue: EFBIG)
  /// ENOSPC
  package static let noSpace = Errno(rawValue: ENOSPC)
  /// ESPIPE
  package static let illegalSeek = Errno(rawValue: ESPIPE)
  /// EROFS
  package static let readOnlyFileSystem = Errno(rawValue: EROFS)
  /// EPIPE
  package static let brokenPipe = Errno(rawValue: EPIPE)
  /// ERANGE
  package static let outOfRange = Errno(rawValue: ERANGE)
  /// ENAMETOOLONG
  package static let fileNameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// ENOSYS
  package static let noFunction = Errno(rawValue: ENOSYS)
  /// ENOTEMPTY
  package static let directoryNotEmpty = Errno(rawValue: ENOTEMPTY)
  /// ELOOP
  package static let tooManySymbolicLinks = Errno(rawValue: ELOOP)
  /// ENODATA
  package static let noData = Errno(rawValue: ENODATA)
  /// EOPNOTSUPP
  package static let notSupported = Errno(rawValue: EOPNOTSUPP)
  /// ECONNREFUSED
  package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  /// ECONNRESET
  package static let connectionReset = Errno(rawValue: ECONNRESET)
  /// ENOTCONN
  package static let notConnected = Errno(rawValue: ENOTCONN)
  /// ETIMEDOUT
  package static let timedOut = Errno(rawValue: ETIMEDOUT)
  /// EDQUOT
  package static let diskQuotaExceeded = Errno(rawValue: EDQUOT)
  /// ECANCELED
  package static let cancelled = Errno(rawValue: ECANCELED)
}
