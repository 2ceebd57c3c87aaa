// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// Whole files and directories by path.
package enum Files {
  /// stat(2), or lstat(2) when links are not to be followed.
  package static func status(
    _ path: String, followingLinks: Bool = true
  ) throws(Errno) -> FileStatus {
    var status = stat()
    _ = try systemCall(path: path) {
      followingLinks ? stat($0, &status) : lstat($0, &status)
    }
    return FileStatus(status)
  }

  /// Whether anything has this path, a dangling link excepted.
  package static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }

  /// Whether the path masks the file of the same name below it: an empty regular file, or a link
  /// that leads to /dev/null. A path that is missing or can't be looked at masks nothing.
  package static func isMask(_ path: String) -> Bool {
    guard let status = try? status(path) else { return false }
    return status.isNullDevice || (status.kind == .regular && status.size == 0)
  }

  /// Whether the path is a regular file that this process may execute.
  package static func isExecutable(_ path: String) -> Bool {
    guard let status = try? status(path), status.kind == .regular else { return false }
    return (try? systemCall(path: path) { access($0, X_OK) }) != nil
  }

  /// Where a shell would find the program: a name with a slash is a path; another is looked for
  /// in `searchPath`, directories with colons between them. Nil when no directory has it.
  package static func executable(_ name: String, in searchPath: String) -> String? {
    guard !name.isEmpty else { return nil }
    if name.utf8.contains(UInt8(ascii: "/")) { return isExecutable(name) ? name : nil }
    for directory in searchPath.split(separator: ":", omittingEmptySubsequences: false) {
      let candidate = directory.isEmpty ? "./\(name)" : "\(directory)/\(name)"
      if isExecutable(candidate) { return candidate }
    }
    return nil
  }

  /// The names in a directory but `.` and `..`, sorted by their bytes. A name that is not UTF-8
  /// is left out: no String could lead back to it.
  package static func list(_ directory: String) throws(Errno) -> [String] {
    try names(in: FileDescriptor.open(directory, [.readOnly, .directory]))
  }

  static func names(in descriptor: consuming FileDescriptor) throws(Errno) -> [String] {
    guard let stream = fdopendir(descriptor.raw) else { throw .current }
    // The stream closes the descriptor from here on.
    _ = descriptor.release()
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      // readdir tells its end from a failure by errno alone.
      errno = 0
      guard let entry = readdir(stream) else {
        let error = Errno.current
        guard error.rawValue == 0 else { throw error }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(validatingCString: $0)
        }
      }
      if let name, name != ".", name != ".." { names.append(name) }
    }
  }

  /// unlink(2): removes the name of a file.
  package static func remove(_ path: String) throws(Errno) {
    _ = try systemCall(path: path) { unlink($0) }
  }

  /// Makes a directory and those above it that are missing, each with `mode` less the umask, and
  /// sees their names onto the disk. One that is there stays as it is.
  package static func makeDirectories(_ path: String, mode: UInt32 = 0o755) throws(Errno) {
    do throws(Errno) {
      _ = try systemCall(path: path) { mkdir($0, mode) }
    } catch .fileExists {
      guard try status(path).kind == .directory else { throw .notDirectory }
      return
    } catch .noSuchFileOrDirectory {
      let parent = PathParts(path).directory
      guard !path.isEmpty, parent != path else { throw .noSuchFileOrDirectory }
      try makeDirectories(parent, mode: mode)
      return try makeDirectories(path, mode: mode)
    }
    try synchroniseDirectory(PathParts(path).directory)
  }

  /// fsync(2) of a directory, so that the names in it survive a power cut. A file system that has
  /// no such thing (EINVAL) has nothing to wait for.
  private static func synchroniseDirectory(_ path: String) throws(Errno) {
    let descriptor = try FileDescriptor.open(path, [.readOnly, .directory])
    do throws(Errno) {
      try descriptor.synchronise()
    } catch .invalidArgument {
      return
    }
  }
}
