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

  /// Waits until there is a file, put there whole by a rename; its text.
  @discardableResult
  static func awaitFile(_ path: String) throws -> String {
    let loop = try EventLoop()
    let watch = try Files.exists(path) ? nil : loop.appearance(of: path) {}
    defer { withExtendedLifetime(watch) {} }
    let end = EventLoop.now + patience
    while !Files.exists(path) {
      guard EventLoop.now < end else { throw TestFailure("\(path) did not come") }
      try loop.turn(atMost: patience)
    }
    return String(decoding: try Files.read(path, limit: 1 << 20), as: UTF8.self)
  }
}
