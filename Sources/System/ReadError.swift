// SPDX-License-Identifier: MIT

/// Why a file was not read.
package enum ReadError: Error, Hashable, Sendable {
  /// Nothing has that path: ENOENT, also for a dangling link, or ENOTDIR.
  case missing
  /// It is there, and is no regular file.
  case notRegular(FileKind)
  /// It holds more than the limit, in bytes.
  case tooLarge(limit: Int)
  /// What the kernel said.
  case failed(Errno)
}

extension ReadError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missing: "there is no such file"
    case .notRegular(let kind): "it is \(kind), expected a regular file"
    case .tooLarge(let limit): "it is larger than \(limit) bytes"
    case .failed(let error): "\(error)"
    }
  }
}
