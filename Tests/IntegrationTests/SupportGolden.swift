// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

/// Texts that other programs depend on, kept in files and compared to the letter.
///
/// `TOGGLED_RENEW_GOLDEN=1 swift test --filter Golden` writes them anew from what the programs
/// say now; the difference is then to be read before it is committed.
enum Golden {
  static let variable = "TOGGLED_RENEW_GOLDEN"

  /// Compares a text with the file of this name.
  static func expect(
    _ text: String, is name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let path = Project.path("Tests/IntegrationTests/Golden/\(name)")
    if Environment.value(variable) != nil {
      try Files.replace(path, with: Array(text.utf8))
      return
    }
    guard let bytes = try? Files.read(path, limit: 1 << 20) else {
      throw TestFailure("there is no golden file \(path); make it with \(variable)=1")
    }
    let golden = String(decoding: bytes, as: UTF8.self)
    guard text != golden else { return }
    // The first line that differs says more than two long texts.
    let (lines, expected) = (text.split(separator: "\n"), golden.split(separator: "\n"))
    let place = zip(lines, expected).prefix { $0 == $1 }.count
    Issue.record(
      """
      \(name) differs first in its line \(place + 1):
      expected: \(place < expected.count ? expected[place] : "the end")
      found:    \(place < lines.count ? lines[place] : "the end")
      --- all that was found
      \(text)
      """, sourceLocation: sourceLocation)
  }
}
