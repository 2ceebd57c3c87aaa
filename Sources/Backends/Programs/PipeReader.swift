// SPDX-License-Identifier: MIT

import EventLoop
import System

/// Reads a pipe as things come.
final class PipeReader {
  private let loop: EventLoop
  private let pause: Duration?
  private let read: ([UInt8]) -> Void
  private var watch: DescriptorWatch?
  private var pauseTimer: Timer?
  private let end: FileDescriptor

  /// As much as a pipe holds, pipe(7).
  private static let pieceSize = 65536

  init(
    _ end: consuming FileDescriptor, on loop: EventLoop, pause: Duration?,
    _ read: @escaping ([UInt8]) -> Void
  ) throws(Errno) {
    try end.setNonBlocking()
    self.loop = loop
    self.pause = pause
    self.read = read
    self.end = end
    watch = try loop.watch(self.end.raw, for: .readable) { [weak self] _ in self?.look() }
  }

  /// Reads what is in the pipe now and no more, so that nobody who goes on writing is waited for.
  func drain() {
    guard watch != nil else { return }
    readOnce()
    (watch, pauseTimer) = (nil, nil)
  }

  private func look() {
    readOnce()
    guard let pause, let watch else { return }
    watch.update([])
    pauseTimer = loop.after(pause) { [weak self] in self?.watch?.update(.readable) }
  }

  private func readOnce() {
    do throws(Errno) {
      let bytes = try end.read(upTo: Self.pieceSize)
      if bytes.isEmpty { watch = nil } else { read(bytes) }
    } catch {
      if error != .wouldBlock { watch = nil }
    }
  }
}
