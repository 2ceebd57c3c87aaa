// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// Calls what may block in a system call that takes no time limit, such as connect(2) to a socket
/// whose backlog is full, and has that end with EINTR once `limit` has passed. SIGALRM is not the
/// program's own meanwhile.
///
/// For a program that has nothing else to do. Beside a loop such a call belongs on a thread.
package func interrupted(after limit: Duration, _ call: () -> Void) throws(Errno) {
  var timer: timer_t?
  _ = try systemCall { clinux_timer_create_for_thread(SIGALRM, &timer) }
  defer { timer_delete(timer) }
  // Without SA_RESTART, so that the system call ends.
  var action = sigaction()
  action.__sigaction_handler.sa_handler = { _ in }
  var before = sigaction()
  _ = try systemCall { sigaction(SIGALRM, &action, &before) }
  defer { sigaction(SIGALRM, &before, nil) }
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGALRM)
  var mask = sigset_t()
  pthread_sigmask(SIG_UNBLOCK, &signals, &mask)
  defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }

  let (seconds, attoseconds) = max(limit, .milliseconds(1)).components
  var times = itimerspec()
  times.it_value = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  // Again, for the first may come just before the call begins to wait.
  times.it_interval = timespec(tv_sec: 0, tv_nsec: 10_000_000)
  _ = try systemCall { timer_settime(timer, 0, &times, nil) }
  call()
}
