// SPDX-License-Identifier: MIT

import CLinux

/// The memory that malloc(3) manages for this process.
package enum Heap {
  /// Gives memory that was freed back to the kernel, from within the heap too: after a thousand
  /// rows have gone the process is as small as before they came. Takes as long as the heap is
  /// large, so it is for a lull. The corresponding C function is `malloc_trim`.
  package static func trim() {
    _ = malloc_trim(0)
  }
}
