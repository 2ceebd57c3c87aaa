// SPDX-License-Identifier: MIT

package import System

extension EventLoop {
  /// Watches for a path that is not there: the nearest directory above it that is, for the name
  /// that leads to it. `handler` is called when something has that name, or when the watch is
  /// over; what is there now is for the owner to see. Throws as `directory` does.
  package func appearance(
    of path: String, _ handler: @escaping () -> Void
  ) throws(Errno) -> PathWatch {
    var missing = path
    while true {
      let parts = PathParts(missing)
      do throws(Errno) {
        let name = parts.name
        let watch = try arrivals(in: parts.directory) { event in
          if event.concerns(name) { handler() }
        }
        // What came before the watch was there is not told by it.
        if !Files.exists(missing) { return watch }
        if missing == path {
          atEndOfTurn(handler)
          return watch
        }
        missing = path
      } catch .noSuchFileOrDirectory, .notDirectory {
        guard parts.directory != missing else { throw .noSuchFileOrDirectory }
        missing = parts.directory
      }
    }
  }
}

extension DirectoryEvent {
  /// Whether the entry of this name came, or the watch is over.
  fileprivate func concerns(_ entry: String) -> Bool {
    switch self {
    case .created(let name), .movedIn(let name): name == entry
    case .changed, .attributes, .removed, .movedOut: false
    case .overflow, .gone: true
    }
  }
}
