// SPDX-License-Identifier: MIT

import Backends
import Settings

/// Says and answers nothing by itself: its test does, whenever it likes.
@MainActor
final class SilentBackend: Backend {
  private(set) var report: ((Reading) -> Void)?
  /// Answers the last read.
  private(set) var read: ((Reading) -> Void)?
  /// Answers the last write.
  private(set) var write: ((Result<Void, FlipError>) -> Void)?
  private(set) var isStopped = false

  /// This as a part.
  var part: Part { Part(PartDefinition("silent", BackendDefinition(.stored))) { self } }

  func start(_ report: @escaping (Reading) -> Void) { self.report = report }
  func read(_ completion: @escaping (Reading) -> Void) { read = completion }
  func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) { write = completion }
  func stop() { (report, isStopped) = (nil, true) }
}
