// SPDX-License-Identifier: MIT

import Glibc
import System

/// The programs beside this file that are file systems in user space, each of one source.
enum FileSystemProgram {
  /// Where the program is: beside the others of the build; made anew when its source is newer.
  static func path(_ name: String) throws -> String {
    let source = Project.path("Tests/TestSupport/\(name).c")
    let path = "\(PathParts(try Products.path("toggled")).directory)/\(name)"
    if let made = try? Files.status(path), try Files.status(source).modified < made.modified {
      return path
    }
    // Whole or not at all, whoever else makes it at the same time.
    let script = """
      gcc -std=c11 -Wall -Wextra -Werror -O1 -o "$2.$$" "$1" $(pkg-config --cflags --libs fuse3) &&
      mv "$2.$$" "$2"
      """
    let outcome = try Program.run(["/bin/sh", "-c", script, "sh", source, path])
    guard outcome.status.isSuccess else {
      throw TestFailure("gcc \(name).c: \(outcome.error)")
    }
    return path
  }
}
