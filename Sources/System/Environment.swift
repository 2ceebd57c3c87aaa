// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// The environment this process was started with. Nothing of ours changes it.
package enum Environment {
  /// The variable's value; nil when it is not set. Bytes that are not UTF-8 are repaired.
  package static func value(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    return String(cString: value)
  }

  /// Every variable, to start a child with. Of a name given twice the first counts, as for
  /// getenv(3).
  package static var all: [String: String] {
    var variables: [String: String] = [:]
    guard var next = clinux_environ() else { return [:] }
    while let entry = next.pointee {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "="), variables[String(text[..<equals])] == nil {
        variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      next += 1
    }
    return variables
  }
}
