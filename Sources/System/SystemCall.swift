// SPDX-License-Identifier: MIT

import Glibc

/// Makes a C call that answers -1 and sets `errno` on failure, again for as long as a signal
/// interrupts it. EBADF and EFAULT trap: only a bug of ours brings them, but for EBADF of a
/// descriptor that is not ours.
/// Not for close(2), whose descriptor is gone after EINTR.
@inline(__always)
package func systemCall<Value: SignedInteger & FixedWidthInteger>(
  isOurs: Bool = true, _ call: () -> Value
) throws(Errno) -> Value {
  while true {
    let value = call()
    if value != -1 { return value }
    let error = Errno.current
    if error == .interrupted { continue }
    precondition(
      (error != .badFileDescriptor || !isOurs) && error != .badAddress,
      "a system call was given a descriptor or an address that is not ours")
    throw error
  }
}

/// `systemCall` with a path as C takes it. A path with a NUL in it is `.invalidArgument`.
@inline(__always)
package func systemCall<Value: SignedInteger & FixedWidthInteger>(
  path: String, _ call: (UnsafePointer<CChar>) -> Value
) throws(Errno) -> Value {
  guard !path.utf8.contains(0) else { throw .invalidArgument }
  // withCString only rethrows untyped errors, so the typed one travels in a Result.
  let result: Result<Value, Errno> = path.withCString { pointer in
    do throws(Errno) {
      return .success(try systemCall { call(pointer) })
    } catch {
      return .failure(error)
    }
  }
  return try result.get()
}
