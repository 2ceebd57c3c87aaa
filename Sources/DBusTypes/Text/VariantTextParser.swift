// SPDX-License-Identifier: MIT

/// A recursive-descent parser of GVariant's text format, over UTF-8 bytes.
///
/// The input comes from files and command lines: it may be anything, so nesting is bounded and
/// every failure is a `VariantTextError`.
struct VariantTextParser {
  let bytes: [UInt8]
  var position = 0
  private let options: VariantText.Options

  init(_ source: String, options: VariantText.Options) {
    bytes = Array(source.utf8)
    self.options = options
  }

  /// The one value of the text, with nothing but white space around it.
  mutating func parseDocument() throws(VariantTextError) -> VariantNode {
    let node = try parseValue(depth: 0)
    skipSpace()
    guard position == bytes.count else {
      throw failure("expected the end of the text after the value, found \(here)")
    }
    return node
  }

  // MARK: Values

  private mutating func parseValue(depth: Int) throws(VariantTextError) -> VariantNode {
    guard depth < NestingLimit.containers else {
      throw failure("values nest deeper than \(NestingLimit.containers)")
    }
    skipSpace()
    let start = position
    return VariantNode(kind: try parseKind(depth: depth), position: start)
  }

  private mutating func parseKind(depth: Int) throws(VariantTextError) -> VariantNode.Kind {
    guard let byte = peek else {
      throw failure("expected a value, found the end of the text")
    }
    switch byte {
    case UInt8(ascii: "["):
      return .array(try parseList(until: UInt8(ascii: "]"), depth: depth))
    case UInt8(ascii: "("):
      return try parseTuple(depth: depth)
    case UInt8(ascii: "{"):
      return try parseDictionary(depth: depth)
    case UInt8(ascii: "<"):
      position += 1
      let inner = try parseValue(depth: depth + 1)
      try expect(">", after: "the value of a variant")
      return .variant(inner)
    case UInt8(ascii: "'"), UInt8(ascii: "\""):
      return .text(try parseString())
    case UInt8(ascii: "@"):
      return try parseTyped(depth: depth)
    case UInt8(ascii: "%"):
      return try parsePlaceholder()
    case UInt8(ascii: "b") where isQuote(at: position + 1):
      position += 1
      return .bytes(try parseByteString())
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."):
      return try parseNumber()
    default:
      return try parseWord(depth: depth)
    }
  }

  private mutating func parseList(
    until close: UInt8, depth: Int
  ) throws(VariantTextError) -> [VariantNode] {
    position += 1
    var elements: [VariantNode] = []
    if take(close) { return elements }
    repeat {
      elements.append(try parseValue(depth: depth + 1))
    } while take(UInt8(ascii: ","))
    try expect(Unicode.Scalar(close), after: "the elements of an array")
    return elements
  }

  private mutating func parseTuple(depth: Int) throws(VariantTextError) -> VariantNode.Kind {
    position += 1
    var members: [VariantNode] = []
    if take(UInt8(ascii: ")")) {
      throw failure("expected a member: D-Bus has no empty tuple")
    }
    members.append(try parseValue(depth: depth + 1))
    try expect(",", after: "the first member of a tuple")
    if take(UInt8(ascii: ")")) { return .tuple(members) }
    repeat {
      members.append(try parseValue(depth: depth + 1))
    } while take(UInt8(ascii: ","))
    try expect(")", after: "the members of a tuple")
    return .tuple(members)
  }

  private mutating func parseDictionary(depth: Int) throws(VariantTextError) -> VariantNode.Kind {
    position += 1
    var pairs: [VariantNode.Pair] = []
    if take(UInt8(ascii: "}")) { return .dictionary(pairs) }
    repeat {
      let key = try parseValue(depth: depth + 1)
      try expect(":", after: "a dictionary's key")
      pairs.append(VariantNode.Pair(key: key, value: try parseValue(depth: depth + 1)))
    } while take(UInt8(ascii: ","))
    try expect("}", after: "the entries of a dictionary")
    return .dictionary(pairs)
  }

  /// `@type value`.
  private mutating func parseTyped(depth: Int) throws(VariantTextError) -> VariantNode.Kind {
    position += 1
    guard let (type, end) = SignatureParser.parsePrefix(of: bytes[position...]) else {
      throw failure("expected a D-Bus type after @, such as @as")
    }
    position = end
    guard peek == nil || isSpace(bytes[position]) else {
      throw failure("expected a space after the type \(type)")
    }
    return .typed(type, try parseValue(of: type, depth: depth))
  }

  /// The value after a type. A contradiction such as `uint32 'a'` is found here already, unless a
  /// placeholder may be part of it.
  private mutating func parseValue(
    of type: SingleType, depth: Int
  ) throws(VariantTextError) -> VariantNode {
    let node = try parseValue(depth: depth + 1)
    if !options.contains(.placeholder) { _ = try node.value(as: type, placeholder: nil) }
    return node
  }

  private mutating func parsePlaceholder() throws(VariantTextError) -> VariantNode.Kind {
    guard options.contains(.placeholder), position + 1 < bytes.count,
      bytes[position + 1] == UInt8(ascii: "v")
    else {
      throw failure(
        options.contains(.placeholder) ? "expected %v, found \(here)" : "%v has no meaning here")
    }
    position += 2
    return .placeholder
  }

  /// `true`, `false`, `inf`, `nan`, or the keyword of a type and a value.
  private mutating func parseWord(depth: Int) throws(VariantTextError) -> VariantNode.Kind {
    let start = position
    var end = position
    while end < bytes.count, NameSyntax.isWord(bytes[end]) {
      end += 1
    }
    let word = String(decoding: bytes[start..<end], as: UTF8.self)
    position = end
    switch word {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "inf": return .float(.infinity)
    case "nan": return .float(.nan)
    default: break
    }
    guard let type = Self.keywords[word] else {
      position = start
      throw failure(
        word.isEmpty
          ? "expected a value, found \(here)"
          : "expected a value, found the word \(word): a text needs quotes, as in '\(word)'")
    }
    return .typed(type, try parseValue(of: type, depth: depth))
  }

  private static let keywords: [String: SingleType] = [
    "boolean": .boolean, "byte": .byte, "int16": .int16, "uint16": .uint16, "int32": .int32,
    "uint32": .uint32, "int64": .int64, "uint64": .uint64, "double": .double, "string": .string,
    "objectpath": .objectPath, "signature": .signature,
  ]

  // MARK: Bytes

  var peek: UInt8? {
    position < bytes.count ? bytes[position] : nil
  }

  private func isQuote(at index: Int) -> Bool {
    index < bytes.count
      && (bytes[index] == UInt8(ascii: "'") || bytes[index] == UInt8(ascii: "\""))
  }

  private func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private mutating func skipSpace() {
    while position < bytes.count, isSpace(bytes[position]) {
      position += 1
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard peek == byte else { return false }
    position += 1
    return true
  }

  private mutating func expect(
    _ scalar: Unicode.Scalar, after what: String
  ) throws(VariantTextError) {
    guard scalar.isASCII, take(UInt8(ascii: scalar)) else {
      throw failure("expected \(scalar) after \(what), found \(here)")
    }
  }

  /// What stands at the position, for error messages.
  var here: String {
    guard position < bytes.count else { return "the end of the text" }
    // Decoding from here on repairs a position inside a character.
    let rest = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
    return rest.unicodeScalars.first.map { VariantTextPrinter.quoted(String($0)) } ?? "nothing"
  }

  func failure(_ message: String) -> VariantTextError {
    VariantTextError(message, at: position)
  }
}
