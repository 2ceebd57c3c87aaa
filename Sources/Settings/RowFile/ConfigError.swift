// SPDX-License-Identifier: MIT

/// One thing that is wrong with the row files: where, what, and what was expected.
///
/// It is shown as `file:line: message` by `togglectl check` and is one entry of Manager1's
/// ConfigErrors.
package struct ConfigError: Error, Hashable, Sendable {
  /// The path of the file.
  package var file: String
  /// The line, from 1; 0 stands for the file as a whole.
  package var line: Int
  /// What is wrong and what was expected.
  package var message: String
  /// Whether a lock of the administrator's may be without effect for it.
  package var mayLoseLock: Bool

  /// A finding at `line` of `file`; 0 stands for the file as a whole.
  package init(file: String, line: Int, message: String, mayLoseLock: Bool = false) {
    self.file = file
    self.line = line
    self.message = message
    self.mayLoseLock = mayLoseLock
  }
}

extension ConfigError: Comparable, CustomStringConvertible {
  /// By file, then by line; findings of one line by their text.
  package static func < (left: ConfigError, right: ConfigError) -> Bool {
    (left.file, left.line, left.message) < (right.file, right.line, right.message)
  }

  /// `file:line: message`, or `file: message` where the file as a whole is meant.
  package var description: String {
    line == 0 ? "\(file): \(message)" : "\(file):\(line): \(message)"
  }
}
