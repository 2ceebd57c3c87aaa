// SPDX-License-Identifier: MIT

/// Why a text is no command line.
struct CommandLineError: Error {
  /// What is wrong and what was expected.
  var message: String
}

/// Splits command lines into arguments as systemd's ExecStart does, without a shell.
///
/// White space separates; `"…"` and `'…'` keep it together, inside a word too; `\` begins one of
/// C's escapes, and `\s` is a space (systemd.service(5), "Command lines"). `$`, `%`, `;` and
/// systemd's prefixes such as `-` and `@` mean themselves.
enum CommandSyntax {
  /// The program and its arguments. The first is an absolute path or a name without `/`.
  static func split(_ text: String) throws(CommandLineError) -> [String] {
    let arguments = try words(of: text).map { word throws(CommandLineError) in
      guard let argument = String(validating: word.bytes, as: UTF8.self) else {
        throw CommandLineError(message: "an argument is not valid UTF-8")
      }
      return argument
    }
    guard let program = arguments.first else {
      throw CommandLineError(message: "a program is missing")
    }
    guard isProgram(program) else {
      throw CommandLineError(
        message: "the program \(quoted(program)) is neither an absolute path nor a name")
    }
    return arguments
  }

  /// The words, whatever the first of them is.
  static func words(of text: String) throws(CommandLineError) -> [CommandWord] {
    var splitter = CommandLineSplitter(text)
    return try splitter.split()
  }

  /// Whether `text` can name a program: an absolute path, or a name to look for in PATH.
  static func isProgram(_ text: String) -> Bool {
    let utf8 = text.utf8
    return isAbsolutePath(text)
      || (!utf8.isEmpty && utf8.count < 256
        && !utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 })
  }
}

extension GroupReader {
  /// The program of `key` and its arguments.
  mutating func commandLine(_ key: String) -> [String]? {
    var reason = ""
    return value(key, complaint: ", which is no command line: \(reason)") { text in
      do throws(CommandLineError) {
        return try CommandSyntax.split(text)
      } catch {
        reason = error.message
        return nil
      }
    }
  }
}

private struct CommandLineSplitter {
  private let bytes: [UInt8]
  private var position = 0
  private var words: [CommandWord] = []
  /// The word being read; nil between words, for `""` is a word.
  private var word: CommandWord?

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  mutating func split() throws(CommandLineError) -> [CommandWord] {
    var quote: UInt8?
    while let byte = next() {
      let writing: CommandWord.Writing =
        switch quote {
        case nil: .bare
        case UInt8(ascii: "\""): .inDoubleQuotes
        default: .literal
        }
      switch byte {
      case UInt8(ascii: "\\"):
        append(try escape(), .literal)
      case quote:
        quote = nil
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if quote == nil {
          quote = byte
          append([], writing)
        } else {
          append([byte], writing)
        }
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        if quote == nil { endWord() } else { append([byte], writing) }
      default:
        append([byte], writing)
      }
    }
    if let quote {
      throw CommandLineError(message: "the quote \(String(UnicodeScalar(quote))) is not closed")
    }
    endWord()
    return words
  }

  private mutating func append(_ more: [UInt8], _ writing: CommandWord.Writing) {
    if word == nil { word = CommandWord() }
    word?.append(more, writing)
  }

  private mutating func next() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func endWord() {
    if let word { words.append(word) }
    word = nil
  }

  /// The bytes that the escape after a `\` stands for.
  private mutating func escape() throws(CommandLineError) -> [UInt8] {
    guard let byte = next() else {
      throw CommandLineError(message: "nothing follows the last \\")
    }
    switch byte {
    case UInt8(ascii: "a"): return [0x07]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0c]
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "v"): return [0x0b]
    case UInt8(ascii: "s"): return [0x20]
    case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): return [byte]
    case UInt8(ascii: "x"): return [UInt8(truncatingIfNeeded: try number(digits: 2, radix: 16))]
    case UInt8(ascii: "u"): return try scalar(digits: 4)
    case UInt8(ascii: "U"): return try scalar(digits: 8)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      position -= 1
      let value = try number(digits: 3, radix: 8)
      guard let byte = UInt8(exactly: value) else { break }
      return [byte]
    default: break
    }
    let shown = String(decoding: [byte], as: UTF8.self)
    throw CommandLineError(message: "\\\(shown) is no escape; for a \\ itself write \\\\\\\\")
  }

  private mutating func scalar(digits: Int) throws(CommandLineError) -> [UInt8] {
    let value = try number(digits: digits, radix: 16)
    guard let scalar = Unicode.Scalar(value) else {
      throw CommandLineError(message: "U+\(String(value, radix: 16)) is no character")
    }
    return Array(String(scalar).utf8)
  }

  private mutating func number(digits: Int, radix: Int) throws(CommandLineError) -> UInt32 {
    let text = String(decoding: bytes[position...].prefix(digits), as: UTF8.self)
    let isNumber = text.utf8.count == digits && isWord(text, besides: "")
    guard isNumber, let value = UInt32(text, radix: radix), value != 0 else {
      throw CommandLineError(
        message: "an escape is not followed by \(digits) digits that make a character")
    }
    position += digits
    return value
  }
}
