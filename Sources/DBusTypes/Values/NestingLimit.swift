// SPDX-License-Identifier: MIT

/// How deep containers may nest. Specification: "Valid Signatures" and "Message Format".
package enum NestingLimit {
  /// Arrays within arrays in one signature.
  package static let arrays = 32
  /// Structures within structures in one signature.
  package static let structures = 32
  /// Containers of any kind, variants included, in one message.
  package static let containers = 64
}
