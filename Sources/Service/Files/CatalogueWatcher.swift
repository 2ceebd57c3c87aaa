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

  private let loop: EventLoop
  private let changed: () -> Void
  private let failed: (String) -> Void
  private var watches: [PathWatch] = []
  private var directories: Set<String> = []
  private var settling: Timer?

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
    if let watch = try? loop.directory(directory, { [weak self] _ in self?.settle() }) {
      watches.append(watch)
      return
    }
    var missing = directory
    while missing != "/" {
      let parts = PathParts(missing)
      let name = parts.name
      do throws(Errno) {
        watches.append(
          try loop.directory(parts.directory) { [weak self] event in
            if event.concerns(name) { self?.settle() }
          })
        return
      } catch .noSuchFileOrDirectory, .notDirectory {
        missing = parts.directory
      } catch {
        return failed("can't watch \(parts.directory) for row files: \(error)")
      }
    }
  }

  private func settle() {
    guard settling == nil else { return }
    settling = loop.after(Self.settleTime) { [weak self] in
      self?.settling = nil
      self?.changed()
    }
  }
}

extension DirectoryEvent {
  /// Whether the entry of this name came, or the watch is over.
  nonisolated fileprivate func concerns(_ entry: String) -> Bool {
    switch self {
    case .created(let name), .movedIn(let name): name == entry
    case .changed, .removed, .movedOut: false
    case .overflow, .gone: true
    }
  }
}
