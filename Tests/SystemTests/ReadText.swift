// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport

/// One read(2) from a pipe, as text; empty at its end.
func text(_ pipe: borrowing Pipe) throws(Errno) -> String {
  let end = pipe.readEnd
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = try systemCall { read(end, &bytes, bytes.count) }
  return String(decoding: bytes.prefix(count), as: UTF8.self)
}
