// SPDX-License-Identifier: MIT

/// Why a text is not a value in GVariant's text format, or not one of the type that was asked for.
package struct VariantTextError: Error, Hashable, Sendable {
  /// Where the trouble starts, in bytes from the start of the text.
  package let position: Int
  /// What is wrong and what was expected, in words.
  package let message: String

  init(_ message: String, at position: Int) {
    self.message = message
    self.position = position
  }
}

extension VariantTextError: CustomStringConvertible {
  /// The message and the place, counting from 1 as people do.
  package var description: String { "\(message) (at byte \(position + 1))" }
}
