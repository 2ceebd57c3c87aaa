// SPDX-License-Identifier: MIT

import Settings

/// A reading that many may ask for: however many do, one is under way and one waits, and everyone
/// is told of a reading that began after they asked.
final class JoinedReads {
  typealias Completion = (Reading) -> Void

  /// Reads the world once, and calls back once.
  private let body: (@escaping Completion) -> Void
  private var isReading = false
  private var readers: [Completion] = []
  private var nextReaders: [Completion] = []

  init(_ body: @escaping (@escaping Completion) -> Void) {
    self.body = body
  }

  func ask(_ completion: @escaping Completion) {
    guard !isReading else {
      // The one under way may have looked before the caller asked.
      nextReaders.append(completion)
      return
    }
    readers.append(completion)
    start()
  }

  private func start() {
    isReading = true
    body { [weak self] reading in
      guard let self else { return }
      let done = readers
      readers = nextReaders
      nextReaders = []
      isReading = false
      if !readers.isEmpty { start() }
      for reader in done { reader(reading) }
    }
  }
}
