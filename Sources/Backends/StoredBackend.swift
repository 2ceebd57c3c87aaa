// SPDX-License-Identifier: MIT

package import EventLoop
package import Settings
import System

/// Where the values of `stored` rows are kept: a directory with one small file a row.
///
/// A file a row rather than one for all: a flip then costs the same with ten thousand rows as
/// with twenty, and damage to one value can't take another with it.
package final class StoredValues {
  /// Its path; made when the first value is written.
  package let directory: String
  let writer: DurableWriter
  /// Told what a person should know, such as that a damaged file was set aside.
  let notice: (String) -> Void

  /// The values in a directory, which need not be there yet.
  package init(
    directory: String, writer: DurableWriter, notice: @escaping (String) -> Void
  ) {
    self.directory = directory
    self.writer = writer
    self.notice = notice
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
    writer.replace(path, with: Array(text.utf8)) { result in
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

/// A value that the daemon keeps itself.
///
/// A flip is answered once the value is on the disk, whole: the file is written beside the old
/// one, synchronised, renamed over it, and the directory synchronised. A row that was never
/// flipped has its default. A file that holds neither `on` nor `off` is set aside, and the row is
/// unknown until it is flipped: what was lost is not guessed.
package final class StoredBackend: Backend {
  private let path: String
  private let defaultValue: Bool
  private let values: StoredValues

  /// - Parameter defaultValue: the value of a row that was never flipped; nil is off.
  package init(id: RowID, defaultValue: Bool?, values: StoredValues) {
    path = "\(values.directory)/\(id)"
    self.defaultValue = defaultValue ?? false
    self.values = values
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    // Nobody but the daemon writes the value, so this is all there ever is to report.
    report(reading())
  }

  package func read(_ completion: @escaping (Reading) -> Void) {
    completion(reading())
  }

  package func write(
    _ on: Bool, interactive: Bool, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    values.keep(on ? "on\n" : "off\n", at: path, completion)
  }

  package func stop() {}

  /// What a damaged value is called once it is set aside; no row's id has a dot in it.
  private var asidePath: String { "\(path).damaged" }

  private func reading() -> Reading {
    let contents: [UInt8]
    do throws(ReadError) {
      contents = try Files.read(path, limit: 64)
    } catch {
      switch error {
      case .missing: return Files.exists(asidePath) ? damaged : Reading(defaultValue)
      case .failed(let errno):
        let reason: Reason = errno.isDenial ? .noAccess : .failed
        return .unreadable(Problem(reason, "can't read \(path): \(errno)"))
      case .notRegular, .tooLarge: return setAside()
      }
    }
    switch String(decoding: contents, as: UTF8.self) {
    case "on\n", "on": return .on
    case "off\n", "off": return .off
    default: return setAside()
    }
  }

  private var damaged: Reading {
    .unreadable(
      Problem(
        .unrecognised,
        "the stored value was damaged and is kept as \(asidePath); turn the row on or off"))
  }

  private func setAside() -> Reading {
    do throws(Errno) {
      try Files.rename(path, to: asidePath)
      values.notice("the stored value \(path) is neither on nor off; kept as \(asidePath)")
      return damaged
    } catch {
      values.notice("the stored value \(path) is neither on nor off, and can't be moved: \(error)")
      return .unreadable(Problem(.unrecognised, "the stored value \(path) is neither on nor off"))
    }
  }
}

extension Errno {
  /// Whether the kernel refused, as against failed.
  nonisolated var isDenial: Bool {
    self == .permissionDenied || self == .notPermitted || self == .readOnlyFileSystem
  }
}
