// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// The pages of the running program's own code and constants.
package enum ProgramPages {
  /// Unmaps the pages of every segment that can't be written, for a process that is about to wait
  /// for a long time: much of what it touched was needed once, to start.
  ///
  /// Nothing is lost: the pages stay in the kernel's cache, and those that are used again come
  /// back by a minor fault each (madvise(2), MADV_DONTNEED on a mapping of a file). Segments that
  /// can be written hold relocated pointers and are left alone.
  package static func release() {
    let size = UInt(getpagesize())
    guard
      getauxval(UInt(AT_PHENT)) == MemoryLayout<Elf64_Phdr>.size,
      let headers = UnsafePointer<Elf64_Phdr>(bitPattern: UInt(getauxval(UInt(AT_PHDR))))
    else { return }
    let segments = UnsafeBufferPointer(start: headers, count: Int(getauxval(UInt(AT_PHNUM))))
    // The table describes its own place, and with it where the program was loaded.
    guard let table = segments.first(where: { $0.p_type == PT_PHDR }) else { return }
    let base = UInt(bitPattern: headers) &- UInt(table.p_vaddr)
    for segment in segments
    where segment.p_type == PT_LOAD && segment.p_flags & UInt32(PF_W) == 0 {
      let start = (base &+ UInt(segment.p_vaddr)) & ~(size - 1)
      // The last page may be shared with the next segment.
      let end = (base &+ UInt(segment.p_vaddr) &+ UInt(segment.p_memsz)) & ~(size - 1)
      guard end > start, let address = UnsafeMutableRawPointer(bitPattern: start) else { continue }
      // Where the kernel refuses, the pages stay, and nothing is wrong with that.
      _ = madvise(address, Int(end - start), MADV_DONTNEED)
    }
  }
}
