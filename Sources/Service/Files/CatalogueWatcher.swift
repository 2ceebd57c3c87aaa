// SPDX-License-Identifier: MIT

import EventLoop
import Settings
import System

/// Notices changes in the directories of row files, those included that are not there yet.
///
/// Watches directories and never files: an editor's save puts another file in the old one's place.
/// Where a directory is missing its nearest ancestor is watched for the name that leads to it.
/// Several changes within `settleTime` are told once.
final class CatalogueWatcher {
  /// Long enough for an editor or a package manager to finish, well below a second.
  private static let settleTime = Duration.milliseconds(100)

  /// What the kernel refused to watch is read again by and by.
  private static let retryTime = Duration.seconds(5)

  private let loop: EventLoop
  private let changed: () -> Void
  private let failed: (String) -> Void
  private var watches: [PathWatch] = []
  private var directories: Set<String> = []
  private var settling: Timer?
  /// The directories whose failure was told of.
  private var unwatched: Set<String> = []

  /// - Parameter failed: told of a directory that can't be watched.
  init(loop: EventLoop, failed: @escaping (String) -> Void, changed: @escaping () -> Void) {
    self.loop = loop
    self.failed = failed
    self.changed = changed
  }

  /// Watches these directories in place of the earlier ones. Returns whether one of them was not
  /// watched before: what happened in it until now was not noticed, so it is to be read again.
  func watch(_ directories: [String]) -> Bool {
    // The earlier watches go last, so that the kernel is not asked anew for what stays.
    let earlier = watches
    defer { withExtendedLifetime(earlier) {} }
    watches = []
    for directory in directories { watch(directory) }
    let news = !self.directories.isSuperset(of: directories)
    self.directories = Set(directories)
    return news
  }

  private func watch(_ directory: String) {
    do throws(Errno) {
      do throws(Errno) {
        watches.append(try loop.directory(directory) { [weak self] _ in self?.settle() })
      } catch .noSuchFileOrDirectory, .notDirectory {
        watches.append(try loop.appearance(of: directory) { [weak self] in self?.settle() })
      }
      unwatched.remove(directory)
    } catch {
      if unwatched.insert(directory).inserted {
        failed("can't watch \(directory) for row files, trying again: \(error.ofWatching)")
      }
      tryLater()
    }
  }

  /// Has everything read again by and by: what can't be read now changes without a word.
  func tryLater() {
    settle(after: Self.retryTime)
  }

  private func settle(after delay: Duration = settleTime) {
    guard settling == nil else { return }
    settling = loop.after(delay) { [weak self] in
      self?.settling = nil
      self?.changed()
    }
  }
}
