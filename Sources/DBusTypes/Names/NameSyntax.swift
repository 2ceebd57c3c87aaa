// SPDX-License-Identifier: MIT

// The vocabulary of D-Bus as values that are right by construction.
//
// Invariants: a `BusName`, `ObjectPath`, `InterfaceName`, `MemberName`, `ErrorName` or `Signature`
// that exists has passed the specification's grammar, because libdbus aborts the process when it is
// handed one that has not. This module is the only way to make them. It is pure: no C, no bus, no
// state; everything in it is `Sendable` and may be used from anywhere. Nothing here blocks, and
// nothing that came from a file or the bus traps: recursion over untrusted input is bounded by
// `NestingLimit`.

/// The grammars of the D-Bus specification's "Valid Names" section, over UTF-8 bytes.
enum NameSyntax {
  /// The longest bus, interface, member or error name, in bytes.
  static let longestName = 255

  static func isBusName(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      guard bytes.count <= longestName, let first = bytes.first else { return false }
      let isUnique = first == UInt8(ascii: ":")
      let elements = UnsafeRawBufferPointer(
        rebasing: UnsafeRawBufferPointer(bytes)[(isUnique ? 1 : 0)...])
      return hasElements(elements, allowsHyphen: true, allowsLeadingDigit: isUnique)
    }
  }

  /// An interface name or an error name: both follow one grammar.
  static func isInterfaceName(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      bytes.count <= longestName
        && hasElements(
          UnsafeRawBufferPointer(bytes), allowsHyphen: false, allowsLeadingDigit: false)
    }
  }

  static func isMemberName(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      guard bytes.count <= longestName, let first = bytes.first, !isDigit(first) else {
        return false
      }
      return bytes.allSatisfy(isWord)
    }
  }

  static func isObjectPath(_ path: String) -> Bool {
    var path = path
    return path.withUTF8 { bytes in
      let slash = UInt8(ascii: "/")
      guard bytes.first == slash else { return false }
      if bytes.count == 1 { return true }
      var previous = slash
      for byte in bytes.dropFirst() {
        if byte == slash {
          guard previous != slash else { return false }
        } else if !isWord(byte) {
          return false
        }
        previous = byte
      }
      return previous != slash
    }
  }

  static func isPathElement(_ element: String) -> Bool {
    !element.isEmpty && element.utf8.allSatisfy(isWord)
  }

  /// Two or more elements joined by dots.
  private static func hasElements(
    _ bytes: UnsafeRawBufferPointer, allowsHyphen: Bool, allowsLeadingDigit: Bool
  ) -> Bool {
    var atStart = true
    var dots = 0
    for byte in bytes {
      if byte == UInt8(ascii: ".") {
        guard !atStart else { return false }
        dots += 1
        atStart = true
      } else {
        guard isWord(byte) || (allowsHyphen && byte == UInt8(ascii: "-")) else { return false }
        guard !(atStart && isDigit(byte)) || allowsLeadingDigit else { return false }
        atStart = false
      }
    }
    return dots > 0 && !atStart
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10
  }

  /// `[A-Za-z0-9_]`.
  static func isWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
  }
}
