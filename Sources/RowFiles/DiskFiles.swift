// SPDX-License-Identifier: MIT

// The row files as they lie on the disk: where they are looked for, how they are read, and what
// `togglectl check` says of them.
//
// What the files mean is the `Settings` module's. Every read blocks, but never on what a path leads
// to: a fifo or a device is refused, and no more than the limit is read of a file that grows.

package import Settings
import System

/// The files of the disk, for `Catalogue.load`.
package struct DiskFiles: FileSource {
  /// Where programs are looked for (TryExec): directories with colons between.
  private let searchPath: String
  private let custody: Custody?

  /// Files of the disk, and programs in `searchPath`, the value of PATH.
  ///
  /// - Parameter owners: the users who may have a say in what is read; nil for anyone. What
  ///   somebody else could change, or put there, is `.untrusted`. What was found of a directory
  ///   counts for as long as this is kept.
  package init(
    searchPath: String? = Environment.value("PATH"), owners: Set<UInt32>? = nil
  ) {
    self.searchPath = searchPath ?? "/usr/local/bin:/usr/bin:/bin"
    custody = owners.map { Custody(of: $0) }
  }

  /// The names in a directory, by `Files.list`.
  package func list(_ directory: String) -> DirectoryContent {
    do throws(Errno) {
      if let weakness = try custody?.weakness(of: directory) {
        return .untrusted(weakness.description, by: weakness.path)
      }
      return .names(try Files.list(directory))
    } catch .noSuchFileOrDirectory {
      return .missing
    } catch {
      return .unreadable(error.description)
    }
  }

  /// What a file holds, by `Files.read`, and whether it masks.
  package func read(_ path: String) -> FileContent {
    do throws(Errno) {
      if let weakness = try custody?.weakness(ofFile: path) {
        return .untrusted(weakness.description)
      }
    } catch .noSuchFileOrDirectory, .notDirectory {
      return .missing
    } catch {
      return .unreadable(error.description)
    }
    do throws(ReadError) {
      let bytes = try Files.read(path, limit: FileContent.sizeLimit)
      return bytes.isEmpty ? .mask : .bytes(bytes)
    } catch {
      switch error {
      case .missing: return .missing
      case .tooLarge: return .tooLarge
      case .notRegular(let kind):
        return Files.isMask(path) ? .mask : .notRegular(kind.description)
      case .failed(let error): return .unreadable(error.description)
      }
    }
  }

  /// Whether a regular file that may be executed is there, in PATH or at the absolute path.
  package func hasProgram(_ program: String) -> Bool {
    Files.executable(program, in: searchPath) != nil
  }
}
