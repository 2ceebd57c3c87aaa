// SPDX-License-Identifier: MIT

package import EventLoop
import Settings
import System

/// Where rows keep what they must not forget: a directory with one small file a row, named by its
/// id; a row's id has no dot in it, so that more of a name can follow one.
///
/// A file a row rather than one for all: a flip then costs the same with ten thousand rows as
/// with twenty, and damage to one value can't take another with it.
package final class StoredValues {
  /// Its path; made when the first value is written.
  package let directory: String
  private let owners: Set<UInt32>?
  let writer: DurableWriter
  /// Told what a person should know, such as that a damaged file was set aside.
  let notice: (String) -> Void
  /// The newest texts that are on their way to the disk: a row whose file changes meanwhile starts
  /// anew with what it was told last.
  private var unwritten: [String: (text: String, count: Int)] = [:]

  /// The values in a directory, which need not be there yet.
  ///
  /// - Parameter owners: the users who may decide where its path leads; nil for anyone. The
  ///   directory itself is never anybody else's than root's or this process's user's.
  package init(
    directory: String, owners: Set<UInt32>? = nil, writer: DurableWriter,
    notice: @escaping (String) -> Void
  ) {
    self.directory = directory
    self.owners = owners
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
    do throws(DirectoryError) {
      return load(path, limit: limit, in: try opened(), parse)
    } catch .failed(.noSuchFileOrDirectory), .failed(.notDirectory) {
      return .success(nil)
    } catch {
      return .failure(Problem(.noAccess, "can't read \(path): \(told(error))"))
    }
  }

  private func load<Value>(
    _ path: String, limit: Int, in directory: consuming Directory, _ parse: (String) -> Value?
  ) -> Result<Value?, Problem> {
    let name = PathParts(path).name
    let aside = "\(name).damaged"
    let fault: String
    do throws(ReadError) {
      let bytes = try directory.readPrivate(name, limit: limit)
      if let value = parse(String(decoding: bytes, as: UTF8.self)) { return .success(value) }
      fault = "damaged"
    } catch {
      switch error {
      case .missing:
        let isAside = (try? directory.status(aside)) != nil
        return isAside ? .failure(Self.damaged("\(path).damaged")) : .success(nil)
      case .failed(.notPermitted): fault = "another user's, or writable by others"
      case .failed(let errno):
        let reason: Reason = errno.isDenial ? .noAccess : .failed
        return .failure(Problem(reason, "can't read \(path): \(errno)"))
      case .notRegular(let kind): fault = "\(kind)"
      case .tooLarge: fault = "damaged: it has more than \(limit) bytes"
      }
    }
    do throws(Errno) {
      try directory.rename(name, to: aside)
      notice("the stored value \(path) is \(fault); kept as \(path).damaged")
      return .failure(Self.damaged("\(path).damaged"))
    } catch {
      notice("the stored value \(path) is \(fault), and can't be moved: \(error)")
      return .failure(Problem(.unrecognised, "the stored value \(path) is \(fault)"))
    }
  }

  /// The directory, when nobody else can change what is in it or lead its path elsewhere.
  private func opened() throws(DirectoryError) -> Directory {
    if let owners {
      let weakness: Weakness?
      do throws(Errno) {
        weakness = try Files.weakness(of: directory, owners: owners)
      } catch {
        throw .failed(error)
      }
      if let weakness { throw .weak(weakness) }
    }
    return try Directory(private: directory)
  }

  /// What is wrong with the directory, by its path.
  private func told(_ error: DirectoryError) -> String {
    if case .failed(let errno) = error { return errno.description }
    return "\(directory) is no safe place: \(error)"
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
    if let error = prepareDirectory() {
      return completion(.failure(FlipError(.backendFailed, "can't write \(path): \(error)")))
    }
    let count = (unwritten[path]?.count ?? 0) + 1
    unwritten[path] = (text, count)
    writer.replace(path, with: Array(text.utf8)) { [self] result in
      if unwritten[path]?.count == count { unwritten[path] = nil }
      completion(result.mapError { FlipError(.backendFailed, "can't write \(path): \($0)") })
    }
  }

  /// Makes the directory where it is missing; why nothing can be kept in it, or nil.
  private func prepareDirectory() -> String? {
    do throws(DirectoryError) {
      do throws(DirectoryError) {
        _ = try opened()
      } catch .failed(.noSuchFileOrDirectory) {
        do throws(Errno) {
          try Files.makeDirectories(directory, mode: 0o700)
        } catch {
          return error.description
        }
        _ = try opened()
      }
      return nil
    } catch {
      return told(error)
    }
  }

  /// Clears away what a crash left half written. For the one daemon that owns the directory,
  /// before it writes.
  package func removeLeftovers() {
    do throws(DirectoryError) {
      removeLeftovers(in: try opened())
    } catch .failed(.noSuchFileOrDirectory) {
      // Nothing was ever stored.
    } catch {
      notice("nothing can be kept: \(told(error))")
    }
  }

  private func removeLeftovers(in directory: consuming Directory) {
    do throws(Errno) {
      try Replacement.removeLeftovers(in: directory)
    } catch {
      notice("can't clear \(self.directory) of what a crash left: \(error)")
    }
  }
}

extension Errno {
  /// Whether the kernel refused, as against failed.
  nonisolated var isDenial: Bool {
    self == .permissionDenied || self == .notPermitted || self == .readOnlyFileSystem
  }
}
