// SPDX-License-Identifier: MIT

/// Reads types off a signature, byte by byte.
struct SignatureParser {
  private let codes: [UInt8]
  private var position = 0

  init(_ text: String) {
    codes = Array(text.utf8)
  }

  /// Every type to the end; nil at the first thing that is not one.
  mutating func parseAll() -> [SingleType]? {
    guard codes.count <= Signature.longest else { return nil }
    var types: [SingleType] = []
    while position < codes.count {
      guard let type = parseType(arrays: 0, structures: 0) else { return nil }
      types.append(type)
    }
    return types
  }

  /// The type that starts at `start` and the position after it; nil when there is none.
  static func parsePrefix(
    of bytes: ArraySlice<UInt8>
  ) -> (type: SingleType, end: Int)? {
    var parser = SignatureParser(bytes)
    guard let type = parser.parseType(arrays: 0, structures: 0) else { return nil }
    return (type, bytes.startIndex + parser.position)
  }

  private init(_ bytes: ArraySlice<UInt8>) {
    codes = Array(bytes.prefix(Signature.longest))
  }

  private mutating func next() -> UInt8? {
    guard position < codes.count else { return nil }
    defer { position += 1 }
    return codes[position]
  }

  private mutating func parseType(arrays: Int, structures: Int) -> SingleType? {
    guard let code = next() else { return nil }
    switch code {
    case UInt8(ascii: "v"):
      return .variant
    case UInt8(ascii: "a"):
      guard arrays < NestingLimit.arrays else { return nil }
      if position < codes.count, codes[position] == UInt8(ascii: "{") {
        position += 1
        return parseDictionary(arrays: arrays + 1, structures: structures)
      }
      guard let element = parseType(arrays: arrays + 1, structures: structures) else { return nil }
      return .array(element)
    case UInt8(ascii: "("):
      guard structures < NestingLimit.structures else { return nil }
      return parseStructure(arrays: arrays, structures: structures + 1)
    default:
      return SingleType(basicCode: code)
    }
  }

  private mutating func parseDictionary(arrays: Int, structures: Int) -> SingleType? {
    guard let code = next(), let key = SingleType(basicCode: code),
      let value = parseType(arrays: arrays, structures: structures),
      next() == UInt8(ascii: "}")
    else { return nil }
    return .dictionary(key: key, value: value)
  }

  private mutating func parseStructure(arrays: Int, structures: Int) -> SingleType? {
    var members: [SingleType] = []
    while position < codes.count, codes[position] != UInt8(ascii: ")") {
      guard let member = parseType(arrays: arrays, structures: structures) else { return nil }
      members.append(member)
    }
    guard next() == UInt8(ascii: ")"), !members.isEmpty else { return nil }
    return .structure(members)
  }
}
