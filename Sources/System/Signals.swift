// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// What signals do to this process.
package enum Signals {
  /// Lets signals through again that were blocked in this thread. One that is pending acts before
  /// this returns.
  package static func unblock(_ numbers: [Int32]) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Ends this process by a signal that ends processes, whatever a library or our parent made of
  /// it: they may have it ignored or blocked.
  package static func endProcess(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    unblock([number])
    kill(getpid(), number)
    exit(128 + number)
  }
}
