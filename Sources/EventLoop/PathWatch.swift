// SPDX-License-Identifier: MIT

package import System

/// A path that the loop watches until this is cancelled or dropped.
@MainActor
package final class PathWatch {
  private let inotify: Inotify
  private let subscription: PathSubscription

  init(inotify: Inotify, subscription: PathSubscription) {
    self.inotify = inotify
    self.subscription = subscription
  }

  isolated deinit {
    inotify.remove(subscription)
  }

  /// Whether the path was removed, renamed or unmounted since: the watch is over, and a new one
  /// is the owner's to make.
  package var isGone: Bool { subscription.isGone }

  /// Ends the watch: the handler is let go and never called again.
  package func cancel() {
    inotify.remove(subscription)
  }
}

extension EventLoop {
  /// Tells what happens to the names in a directory: inotify(7). Throws `.notDirectory` for
  /// anything else and `.noSpace` at the user's limit of watches.
  ///
  /// A directory above it that is renamed is not noticed: watch that too where it matters.
  package func directory(
    _ path: String, _ handler: @escaping (DirectoryEvent) -> Void
  ) throws(Errno) -> PathWatch {
    try subscribe(.directory(path, handler))
  }

  /// As `directory`, but of names that come into it alone: nobody is woken by writes to what is in
  /// there already, as /dev/null.
  package func arrivals(
    in path: String, _ handler: @escaping (DirectoryEvent) -> Void
  ) throws(Errno) -> PathWatch {
    try subscribe(.arrivals(path, handler))
  }

  /// Tells that a file's content or status may have changed, or that it is `isGone` from its path:
  /// removed, renamed or replaced. Several changes at once are one call.
  package func file(
    _ path: String, _ handler: @escaping () -> Void
  ) throws(Errno) -> PathWatch {
    try subscribe(.file(path, handler))
  }

  private func subscribe(_ subscription: PathSubscription) throws(Errno) -> PathWatch {
    let inotify: Inotify
    if let existing = self.inotify {
      inotify = existing
    } else {
      inotify = try Inotify(loop: self)
      self.inotify = inotify
    }
    try inotify.add(subscription)
    return PathWatch(inotify: inotify, subscription: subscription)
  }
}

extension Errno {
  /// The error in words that fit a watch: the numbers are those of other limits.
  nonisolated package var ofWatching: String {
    switch self {
    case .tooManyOpenFiles: "the limit of inotify instances is reached (max_user_instances)"
    case .noSpace: "the limit of inotify watches is reached (max_user_watches)"
    default: description
    }
  }
}
