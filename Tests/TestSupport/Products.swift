// SPDX-License-Identifier: MIT

import Glibc
import System

/// What the build made beside the tests.
package enum Products {
  /// The path of a built executable, such as `toggled`. Its test target must depend on it.
  package static func path(_ name: String) throws -> String {
    let directories =
      [try testExecutable()] + CommandLine.arguments.filter { $0.contains("xctest") }
    var looked: [String] = []
    for start in directories {
      var directory = PathParts(start).directory
      // A bundle has the executable some directories further down.
      for _ in 0..<4 {
        let candidate = "\(directory)/\(name)"
        if Files.isExecutable(candidate) { return candidate }
        looked.append(candidate)
        directory = PathParts(directory).directory
      }
    }
    throw TestFailure("\(name) is not built; looked for \(looked.joined(separator: ", "))")
  }

  private static func testExecutable() throws(Errno) -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try systemCall { readlink("/proc/self/exe", &bytes, bytes.count) }
    return String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// The interpreter that has the distribution's D-Bus modules; another may be first on PATH.
package enum Python {
  package static let path = "/usr/bin/python3"
}
