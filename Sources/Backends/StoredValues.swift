// SPDX-License-Identifier: MIT

package import EventLoop
import Settings
import System

/// Where rows keep what they must not forget: a directory with one small file a row, named by its id;
/// a row's id has no dot in it, so that more of a name can follow one.
///
/// A file a row rather than one for all: a flip then costs the same with ten thousand rows as
/// with twenty, and damage to one value can't take another with it.
package final class StoredValues {
  /// Its path; made when the first value is written.
  package let directory: String
  let writer: DurableWriter
  /// Told what a person should know, such as that a damaged file was set aside.
  let notice: (String) -> Void
  /// The newest texts that are on their way to the disk: a row whose file changes meanwhile starts
  /// anew with what it was told last.
  private var unwritten: [String: (text: String, count: Int)] = [:]

  /// The values in a directory, which need not be there yet.
  package init(
    directory: String, writer: DurableWriter, notice: @escaping (String) -> Void
  ) {
    self.directory = directory
    self.writer = writer
    self.notice = notice
  }

  /// The kernel's boot id, which is another each time the machine starts; "" where it has none.
  private(set) lazy var bootID: String = {
    guard let bytes = try? Files.read("/proc/sys/kernel/random/boot_id", limit: 64) else {
      return ""
    }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }()

  /// What `parse` makes of a text that was kept, perhaps not yet on the disk; nil where there is
  /// none. One that it can't read, or of more than `limit` bytes, is set aside, and a problem until
  /// another is kept: what was lost is not guessed.
  func load<Value>(
    _ path: String, limit: Int, _ parse: (String) -> Value?
  ) -> Result<Value?, Problem> {
    if let text = unwritten[path]?.text { return .success(parse(text)) }
    let aside = "\(path).damaged"
    do throws(ReadError) {
      let bytes = try Files.read(path, limit: limit)
      if let value = parse(String(decoding: bytes, as: UTF8.self)) { return .success(value) }
    } catch {
      switch error {
      case .missing: return Files.exists(aside) ? .failure(Self.damaged(aside)) : .success(nil)
      case .failed(let errno):
        let reason: Reason = errno.isDenial ? .noAccess : .failed
        return .failure(Problem(reason, "can't read \(path): \(errno)"))
      case .notRegular, .tooLarge: break
      }
    }
    do throws(Errno) {
      try Files.rename(path, to: aside)
      notice("the stored value \(path) is damaged; kept as \(aside)")
      return .failure(Self.damaged(aside))
    } catch {
      notice("the stored value \(path) is damaged, and can't be moved: \(error)")
      return .failure(Problem(.unrecognised, "the stored value \(path) is damaged"))
    }
  }

  private static func damaged(_ aside: String) -> Problem {
    Problem(
      .unrecognised,
      "the stored value was damaged and is kept as \(aside); turn the row on or off")
  }

  /// Keeps a text, durable before `completion` hears of success.
  func keep(
    _ text: String, at path: String, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    do throws(Errno) {
      try Files.makeDirectories(directory, mode: 0o700)
    } catch {
      return completion(.failure(Self.cannotWrite(directory, error)))
    }
    let count = (unwritten[path]?.count ?? 0) + 1
    unwritten[path] = (text, count)
    writer.replace(path, with: Array(text.utf8)) { [self] result in
      if unwritten[path]?.count == count { unwritten[path] = nil }
      completion(result.mapError { Self.cannotWrite(path, $0) })
    }
  }

  private static func cannotWrite(_ path: String, _ error: Errno) -> FlipError {
    FlipError(.backendFailed, "can't write \(path): \(error)")
  }

  /// Clears away what a crash left half written. For the one daemon that owns the directory,
  /// before it writes.
  package func removeLeftovers() {
    do throws(Errno) {
      try Replacement.removeLeftovers(in: directory)
    } catch .noSuchFileOrDirectory {
      // Nothing was ever stored.
    } catch {
      notice("can't clear \(directory) of what a crash left: \(error)")
    }
  }
}

extension Errno {
  /// Whether the kernel refused, as against failed.
  nonisolated var isDenial: Bool {
    self == .permissionDenied || self == .notPermitted || self == .readOnlyFileSystem
  }
}
