// SPDX-License-Identifier: MIT

import EventLoop
import System
import TestSupport

/// Waits until a file that another program writes holds a text.
@MainActor
final class FileWatcher {
  private let path: String
  private let loop: EventLoop
  private var watch: PathWatch?

  init(_ path: String) throws {
    self.path = path
    loop = try EventLoop()
    watch = try loop.file(path) {}
  }

  func wait(for text: String) throws {
    let end = EventLoop.now + patience
    while true {
      let found = String(decoding: try Files.read(path, limit: 1 << 20), as: UTF8.self)
      if found == text { return }
      guard EventLoop.now < end, text.hasPrefix(found) else {
        throw TestFailure("\(path) should come to hold \(text) and holds \(found)")
      }
      try loop.turn(atMost: patience)
    }
  }
}
