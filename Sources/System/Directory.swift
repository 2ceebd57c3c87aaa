// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// An open directory. Names are looked up in it and nowhere else, whatever becomes of the path that
/// it was opened by meanwhile, and no link among them is followed.
package struct Directory: ~Copyable, Sendable {
  /// To be synchronised, so that the names in it survive a power cut.
  package let descriptor: FileDescriptor

  /// Opens the directory at `path`, whosever it is.
  package init(_ path: String) throws(Errno) {
    descriptor = try .open(path, [.readOnly, .directory])
  }

  /// Opens a directory that nobody but root and this process's user can put anything in; not
  /// through a link at the path itself.
  package init(private path: String) throws(DirectoryError) {
    let opened = try Self.open(unlinked: path)
    let status: FileStatus
    do throws(Errno) {
      status = try opened.status()
    } catch {
      throw .failed(error)
    }
    if let kind = status.weakness(Self.ours) {
      throw .weak(Weakness(path: path, kind: kind, owners: Self.ours))
    }
    descriptor = opened
  }

  /// Root and this process's user.
  private static var ours: Set<UInt32> { [0, geteuid()] }

  private static func open(unlinked path: String) throws(DirectoryError) -> FileDescriptor {
    do throws(Errno) {
      return try .open(path, [.readOnly, .directory, .noFollow])
    } catch .notDirectory {
      guard let kind = try? Files.status(path, followingLinks: false).kind else {
        throw .failed(.notDirectory)
      }
      throw .notDirectory(kind)
    } catch {
      throw .failed(error)
    }
  }

  /// The names in it, as `Files.list`.
  package func list() throws(Errno) -> [String] {
    try Files.names(in: open(".", [.readOnly, .directory]))
  }

  /// The bytes of a regular file in it that nobody but root and this process's user can write to,
  /// of at most `limit` bytes.
  package func readPrivate(_ name: String, limit: Int) throws(ReadError) -> [UInt8] {
    // Opening some devices already acts.
    let kind = try ReadError.translating { () throws(Errno) in try self.status(name).kind }
    guard kind == .regular else { throw .notRegular(kind) }
    let file = try ReadError.translating { () throws(Errno) in
      try open(name, [.readOnly, .noFollow, .nonBlocking, .noControllingTerminal])
    }
    let status = try ReadError.translating { () throws(Errno) in try file.status() }
    guard status.kind == .regular else { throw .notRegular(status.kind) }
    guard status.weakness(Self.ours) == nil else { throw .failed(.notPermitted) }
    return try file.readAll(limit: limit, expecting: status.size)
  }

  /// fstatat(2), of a link itself.
  package func status(_ name: String) throws(Errno) -> FileStatus {
    var status = stat()
    _ = try systemCall(path: name) {
      fstatat(descriptor.raw, $0, &status, AT_SYMLINK_NOFOLLOW)
    }
    return FileStatus(status)
  }

  /// renameat(2), within the directory, over what has the new name.
  package func rename(_ name: String, to newName: String) throws(Errno) {
    let raw = descriptor.raw
    _ = try systemCall(path: name) { from in
      newName.withCString { renameat(raw, from, raw, $0) }
    }
  }

  /// renameat2(2): two files have each other's names.
  func exchange(_ name: String, _ other: String) throws(Errno) {
    let raw = descriptor.raw
    _ = try systemCall(path: name) { name in
      other.withCString { clinux_exchange(raw, name, $0) }
    }
  }

  /// unlinkat(2): removes the name of a file.
  package func remove(_ name: String) throws(Errno) {
    _ = try systemCall(path: name) { unlinkat(descriptor.raw, $0, 0) }
  }

  /// openat(2), close-on-exec.
  func open(
    _ name: String, _ options: OpenOptions, permissions: UInt32 = 0o600
  ) throws(Errno) -> FileDescriptor {
    let flags = options.rawValue | O_CLOEXEC
    return FileDescriptor(
      adopting: try systemCall(path: name) { openat(descriptor.raw, $0, flags, permissions) })
  }
}

/// Why a directory is not one to keep things in.
package enum DirectoryError: Error, Hashable, Sendable {
  case failed(Errno)
  /// Something else has its path, such as a link.
  case notDirectory(FileKind)
  /// Somebody else can change what is in it, or which directory it is.
  case weak(Weakness)

  /// What a call would have failed with, had the kernel been asked to be so strict.
  package var errno: Errno {
    switch self {
    case .failed(let error): error
    case .notDirectory: .notDirectory
    case .weak: .notPermitted
    }
  }
}

extension DirectoryError: CustomStringConvertible {
  /// What is wrong with it, after its path, and what to do.
  package var description: String {
    switch self {
    case .failed(let error): error.description
    case .notDirectory(.symbolicLink):
      "it is a symbolic link, which is not followed; put a directory in its place"
    case .notDirectory(let kind): "it is \(kind); put a directory in its place"
    case .weak(let weakness): weakness.description
    }
  }
}
