// SPDX-License-Identifier: MIT

/// How a valid id looks, for messages.
let identifierRule = "a to z, 0 to 9 and _, a letter first, at most 64 characters"

/// Whether `bytes` spell `[a-z][a-z0-9_]*`, at most 64 long.
func isIdentifier(_ bytes: some Collection<UInt8>) -> Bool {
  guard let first = bytes.first, isLetter(first), bytes.count <= 64 else { return false }
  return bytes.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
}

private func isLetter(_ byte: UInt8) -> Bool {
  byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
}

/// Whether `byte` is an ASCII digit.
func isDigit(_ byte: UInt8) -> Bool {
  byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
}

/// Whether `byte` is an ASCII letter or digit.
func isAlphanumeric(_ byte: UInt8) -> Bool {
  isDigit(byte) || isLetter(byte | 0x20)
}
