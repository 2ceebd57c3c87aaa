// SPDX-License-Identifier: MIT

import Glibc
package import System

/// A directory of one test, removed with all that is in it when this is dropped.
package final class TemporaryDirectory: Sendable {
  /// Absolute, without a slash at its end.
  package let path: String

  /// Makes a directory in `parent`, unless given in TMPDIR or in /tmp.
  package init(in parent: String? = nil) throws(Errno) {
    let parent = parent ?? Environment.value("TMPDIR") ?? "/tmp"
    var template = Array("\(parent)/toggled-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .current }
    path = template.withUnsafeBufferPointer { buffer in
      String(decoding: buffer.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  deinit {
    remove()
  }

  /// Removes it now.
  package func remove() {
    Self.removeTree(at: AT_FDCWD, path)
  }

  /// The path of a name in it.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, and the directories above it that are missing; its path.
  @discardableResult
  package func write(_ text: String, to name: String, mode: UInt32 = 0o644) throws -> String {
    let path = path(name)
    try Files.makeDirectories(PathParts(path).directory)
    if mode & 0o111 == 0 {
      try Files.replace(path, with: Array(text.utf8), mode: mode)
    } else {
      // By another process: a child that another test's thread is just starting would hold our
      // descriptor for a moment, and execve(2) refuses a file that anyone has open for writing.
      let script = "cat >\"$1\" && chmod \"$2\" \"$1\""
      let outcome = try Program.run(
        ["/bin/sh", "-c", script, "sh", path, String(mode, radix: 8)], input: text)
      guard outcome.status.isSuccess else { throw TestFailure(outcome.error) }
    }
    return path
  }

  /// Makes a directory, and those above it that are missing; its path.
  @discardableResult
  package func makeDirectory(_ name: String) throws(Errno) -> String {
    let path = path(name)
    try Files.makeDirectories(path)
    return path
  }

  /// By descriptor and name, so that links are not followed and names need not be UTF-8.
  private static func removeTree(at parent: Int32, _ name: UnsafePointer<CChar>) {
    if unlinkat(parent, name, 0) == 0 { return }
    let raw = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard raw >= 0, let stream = fdopendir(raw) else { return }
    while let entry = readdir(stream) {
      withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { child in
          if strcmp(child, ".") != 0, strcmp(child, "..") != 0 { removeTree(at: raw, child) }
        }
      }
    }
    closedir(stream)
    unlinkat(parent, name, AT_REMOVEDIR)
  }
}
