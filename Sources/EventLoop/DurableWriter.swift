// SPDX-License-Identifier: MIT

import Glibc
package import System

/// Replaces small files without making the loop wait for the disk.
///
/// The files lie in directories that nobody else can put anything in: another is refused, so that
/// nothing is written where somebody led it to. Each replacement is a new file beside the old one,
/// fsync, rename, fsync of the directory. The kernel does both fsyncs on its own workers
/// (`DiskSynchroniser`); the rest is memory work.
/// Writes to one path follow one another. Those that wait for an earlier one become a single write
/// of the newest bytes: whoever asked for an older one is told when something newer is safe.
/// While anything is under way the writer keeps itself alive.
@MainActor
package final class DurableWriter {
  /// Told once: success when these bytes, or newer ones for the same path, are on the disk. After
  /// a failure the old file stands; after one of the directory's fsync where the file system can
  /// exchange files, which all usual ones can, and what a power cut then leaves is either.
  package typealias Completion = (Result<Void, Errno>) -> Void

  private let synchroniser: DiskSynchroniser
  private var files: [String: PendingFile] = [:]

  /// Makes a writer on a loop. With `inPlace` it waits for the disk at once, as it does by itself
  /// where the kernel has no asynchronous fsync to offer.
  package init(loop: EventLoop, inPlace: Bool = false) {
    synchroniser = DiskSynchroniser(loop: loop, inPlace: inPlace)
  }

  /// Whether nothing is under way.
  package var isIdle: Bool { files.isEmpty }

  /// Replaces the file by one with these bytes and exactly this mode. `completion` is called from
  /// a later turn of the loop, or from `finish()`.
  package func replace(
    _ path: String, with bytes: [UInt8], mode: UInt32 = 0o644,
    completion: @escaping Completion
  ) {
    let write = PendingWrite(bytes: bytes, mode: mode, completions: [completion])
    guard let file = files[path] else {
      let file = PendingFile(path: path)
      files[path] = file
      start(write, file)
      return
    }
    if let waiting = file.waiting {
      waiting.bytes = bytes
      waiting.mode = mode
      waiting.completions.append(completion)
    } else {
      file.waiting = write
    }
  }

  /// Completes all that is under way, waiting for the disk: for the end of the process.
  package func finish() {
    while !files.isEmpty { synchroniser.waitForAll() }
  }

  // MARK: - The steps of one write

  private func start(_ write: PendingWrite, _ file: PendingFile) {
    do throws(Errno) {
      let replacement = try Replacement.prepare(
        PathParts(file.path).name, in: Self.directory(of: file.path), with: write.bytes,
        mode: write.mode)
      let raw = replacement.descriptor.raw
      file.replacement = consume replacement
      synchroniser.synchronise(raw) { [self] result in
        contentsAreSafe(result, write, file)
      }
    } catch {
      // The caller may be in the middle of something: it is told when it expects it.
      synchroniser.later { [self] in complete(write, file, .failure(error)) }
    }
  }

  private func contentsAreSafe(
    _ result: Result<Void, Errno>, _ write: PendingWrite, _ file: PendingFile
  ) {
    do throws(Errno) {
      try result.get()
      try file.replacement?.commit()
      guard let raw = file.replacement?.directory.descriptor.raw else { return }
      synchroniser.synchronise(raw) { [self] result in
        // EINVAL: this file system has no such thing, and nothing to wait for.
        let isSafe = if case .failure(.invalidArgument) = result { true } else { false }
        if case .failure = result, !isSafe { file.replacement?.revert() }
        file.replacement = nil
        complete(write, file, isSafe ? .success(()) : result)
      }
    } catch {
      file.replacement = nil
      complete(write, file, .failure(error))
    }
  }

  private static func directory(of path: String) throws(Errno) -> Directory {
    do throws(DirectoryError) {
      return try Directory(private: PathParts(path).directory)
    } catch {
      throw error.errno
    }
  }

  private func complete(
    _ write: PendingWrite, _ file: PendingFile, _ result: Result<Void, Errno>
  ) {
    if let next = file.waiting {
      file.waiting = nil
      start(next, file)
    } else {
      files[file.path] = nil
    }
    for completion in write.completions { completion(result) }
  }
}

/// A path that something is under way for.
@MainActor
private final class PendingFile {
  let path: String
  var replacement: Replacement?
  /// What is to be written next.
  var waiting: PendingWrite?

  init(path: String) {
    self.path = path
  }
}

/// Bytes and all who wait for them, or for older ones that these took the place of.
@MainActor
private final class PendingWrite {
  var bytes: [UInt8]
  var mode: UInt32
  var completions: [DurableWriter.Completion]

  init(bytes: [UInt8], mode: UInt32, completions: [DurableWriter.Completion]) {
    self.bytes = bytes
    self.mode = mode
    self.completions = completions
  }
}
