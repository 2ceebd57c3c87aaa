// SPDX-License-Identifier: MIT

import DBusTypes
import Testing

@Suite("GVariant text")
struct VariantTextTests {
  struct Reading: Sendable, CustomTestStringConvertible {
    let text: String
    let type: String
    let value: Value
    /// What it prints as, when not as itself.
    let printed: String

    init(_ text: String, _ type: String, _ value: Value, _ printed: String? = nil) {
      self.text = text
      self.type = type
      self.value = value
      self.printed = printed ?? text
    }

    var testDescription: String { "\(text) as \(type)" }
  }

  static let readings: [Reading] = [
    Reading("true", "b", .boolean(true)), Reading("false", "b", .boolean(false)),
    Reading("1", "y", .byte(1), "byte 0x01"), Reading("0xff", "y", .byte(255), "byte 0xff"),
    Reading("-32768", "n", .int16(.min), "int16 -32768"),
    Reading("65535", "q", .uint16(.max), "uint16 65535"),
    Reading("-2147483648", "i", .int32(.min)), Reading("+5", "i", .int32(5), "5"),
    Reading("-0x10", "i", .int32(-16), "-16"), Reading("010", "i", .int32(8), "8"),
    Reading("0", "i", .int32(0)), Reading("-0", "u", .uint32(0), "uint32 0"),
    Reading("4294967295", "u", .uint32(.max), "uint32 4294967295"),
    Reading("-9223372036854775808", "x", .int64(.min), "int64 -9223372036854775808"),
    Reading("18446744073709551615", "t", .uint64(.max), "uint64 18446744073709551615"),
    Reading("1", "d", .double(1), "1.0"), Reading("1.5", "d", .double(1.5)),
    Reading("-.5", "d", .double(-0.5), "-0.5"), Reading("1e3", "d", .double(1000), "1000.0"),
    Reading("1.5E-3", "d", .double(0.0015), "0.0015"), Reading("inf", "d", .double(.infinity)),
    Reading("-inf", "d", .double(-.infinity)), Reading("1e100", "d", .double(1e100), "1e+100"),
    Reading("'x'", "s", .string("x")), Reading("\"x\"", "s", .string("x"), "'x'"),
    Reading("''", "s", .string("")), Reading("'naïve 🦆'", "s", .string("naïve 🦆")),
    Reading(#"'\n\t\\\'\"'"#, "s", .string("\n\t\\'\""), #""\n\t\\'\"""#),
    Reading(#"'\a\b\f\r\v'"#, "s", .string("\u{7}\u{8}\u{c}\r\u{b}")),
    Reading(#"'\u00e9\U0001f986'"#, "s", .string("é🦆"), "'é🦆'"),
    Reading(#"'\u200b\u007f'"#, "s", .string("\u{200b}\u{7f}")),
    Reading("'a\\\nb'", "s", .string("ab"), "'ab'"), Reading(#"'\q'"#, "s", .string("q"), "'q'"),
    Reading("'/a/b'", "o", .objectPath("/a/b"), "objectpath '/a/b'"),
    Reading("objectpath '/a'", "o", .objectPath("/a")),
    Reading("'a{sv}'", "g", .signature("a{sv}"), "signature 'a{sv}'"),
    Reading("signature 'i'", "g", .signature("i")),
    Reading("uint32 1", "u", .uint32(1)), Reading("@u 1", "u", .uint32(1), "uint32 1"),
    Reading("byte 7", "y", .byte(7), "byte 0x07"), Reading("double 2", "d", .double(2), "2.0"),
    Reading("string 'x'", "s", .string("x"), "'x'"), Reading("int32 2", "i", .int32(2), "2"),
    Reading("boolean true", "b", .boolean(true), "true"),
    Reading("@as []", "as", .strings([])), Reading("[]", "as", .strings([]), "@as []"),
    Reading("['a', 'b']", "as", .strings(["a", "b"])),
    Reading("[ 'a' ,'b' ]", "as", .strings(["a", "b"]), "['a', 'b']"),
    Reading("[uint32 1, 2]", "au", .array(of: .uint32, [.uint32(1), .uint32(2)])),
    Reading(
      "[1, uint32 2]", "au", .array(of: .uint32, [.uint32(1), .uint32(2)]), "[uint32 1, 2]"),
    Reading("[1, 2.5]", "ad", .array(of: .double, [.double(1), .double(2.5)]), "[1.0, 2.5]"),
    Reading(
      "b'hi'", "ay", .array(of: .byte, [.byte(104), .byte(105), .byte(0)]),
      "[byte 0x68, 0x69, 0x00]"),
    Reading(
      #"b'\377\0'"#, "ay", .array(of: .byte, [.byte(255), .byte(0), .byte(0)]),
      "[byte 0xff, 0x00, 0x00]"),
    Reading("<1>", "v", .variant(.int32(1))),
    Reading("<<'x'>>", "v", .variant(.variant(.string("x")))),
    Reading("<@as []>", "v", .variant(.strings([]))),
    Reading("(1, 'x')", "(is)", .structure([.int32(1), .string("x")])),
    Reading("(1,)", "(i)", .structure([.int32(1)])),
    Reading("((1,), <2>)", "((i)v)", .structure([.structure([.int32(1)]), .variant(.int32(2))])),
    Reading(
      "{'a': <1>, 'b': <'x'>}", "a{sv}", .options([("a", .int32(1)), ("b", .string("x"))])),
    Reading("{}", "a{sv}", .options([]), "@a{sv} {}"),
    Reading(
      "{uint32 1: 'x', 2: 'y'}", "a{us}",
      .dictionary(
        key: .uint32, value: .string,
        entries: [.init(.uint32(1), .string("x")), .init(.uint32(2), .string("y"))])),
    Reading(
      "[[], ['a']]", "aas", .array(of: .array(.string), [.strings([]), .strings(["a"])]),
      "[@as [], ['a']]"),
  ]

  @Test(
    "a text reads as the value of its type, which prints in a form that reads back",
    arguments: readings)
  func reading(reading: Reading) throws {
    let type = try #require(SingleType(code: reading.type))
    let value = try VariantText.parse(reading.text).value(as: type)
    #expect(value == reading.value)
    #expect(value.type == type)
    #expect(value.text == reading.printed)
    let again = try VariantText.parse(value.text)
    #expect(again.inferredType == type)
    #expect(try again.value() == value)
    #expect(try VariantText.parse(value.text(isAnnotated: false)).value(as: type) == value)
    #expect(try VariantText.parse("  \(reading.text)\t\n").value(as: type) == value)
  }

  @Test(
    "a text without a type has the default one",
    arguments: [
      ("1", "i"), ("1.0", "d"), ("'x'", "s"), ("true", "b"), ("[1, 2]", "ai"),
      ("[1, 2.0]", "ad"), ("[1, int64 2]", "ax"), ("['/a', objectpath '/b']", "ao"),
      ("{'a': 1}", "a{si}"), ("(1, 'x', <2>)", "(isv)"), ("<1>", "v"), ("[[], [1]]", "aai"),
      ("[(1, []), (2.0, ['x'])]", "a(das)"), ("{'a': [], 'b': [1]}", "a{sai}"), ("b'x'", "ay"),
    ])
  func inferred(text: String, type: String) throws {
    #expect(try VariantText.parse(text).inferredType?.code == type)
  }

  @Test("a text whose type cannot be told has none", arguments: ["[]", "{}", "([], 1)", "[[]]"])
  func notInferred(text: String) throws {
    let parsed = try VariantText.parse(text)
    #expect(parsed.inferredType == nil)
    #expect(throws: VariantTextError.self) { try parsed.value() }
  }

  @Test(
    "a text that is no value says where and what was expected",
    arguments: [
      ("", 0, "expected a value, found the end of the text"),
      ("  ", 2, "expected a value, found the end of the text"),
      ("power", 0, "expected a value, found the word power: a text needs quotes, as in 'power'"),
      ("'x", 0, "the text that starts here has no closing quote"),
      ("'x\\", 0, "the text that starts here has no closing quote"),
      ("1 2", 2, "expected the end of the text after the value, found '2'"),
      ("[1, ]", 4, "expected a value, found ']'"),
      ("[1", 2, "expected ] after the elements of an array, found the end of the text"),
      ("(1)", 2, "expected , after the first member of a tuple, found ')'"),
      ("()", 2, "expected a member: D-Bus has no empty tuple"),
      ("{'a'}", 4, "expected : after a dictionary's key, found '}'"),
      ("{'a': 1", 7, "expected } after the entries of a dictionary, found the end of the text"),
      ("<1", 2, "expected > after the value of a variant, found the end of the text"),
      ("0x", 0, "0x is not a number, or not one of at most 64 bits"),
      ("09", 0, "09 is not a number, or not one of at most 64 bits"),
      ("1.2.3", 0, "1.2.3 is not a number, or not one of at most 64 bits"),
      ("--1", 0, "- is not a number, or not one of at most 64 bits"),
      (
        "18446744073709551616", 0,
        "18446744073709551616 is not a number, or not one of at most 64 bits"
      ),
      (
        "-9223372036854775809", 0,
        "-9223372036854775809 is not a number, or not one of at most 64 bits"
      ),
      ("@z 1", 1, "expected a D-Bus type after @, such as @as"),
      ("@u1", 2, "expected a space after the type u"),
      ("uint32 'a'", 7, "expected a value of type u, found the text 'a'"),
      ("byte 256", 5, "the number 256 is out of range for type y"),
      ("objectpath 'a'", 11, "the text 'a' is not an object path"),
      ("'\\u00'", 5, "expected 4 hexadecimal digits, found \"'\""),
      ("'\\u0000'", 1, "U+0 is not a character"),
      ("'\\ud800'", 1, "U+d800 is not a character"),
      ("'\\U00110000'", 1, "U+110000 is not a character"),
      ("'a\u{0}b'", 2, "a text cannot hold U+0000"),
      (
        "[1, 'a']", 4,
        "expected elements of one type, but the text 'a' differs from those before it"
      ),
      ("%v", 0, "%v has no meaning here"),
      ("just 1", 0, "expected a value, found the word just: a text needs quotes, as in 'just'"),
      ("é", 0, "expected a value, found 'é'"),
    ])
  func syntaxErrors(text: String, position: Int, message: String) throws {
    let error = #expect(throws: VariantTextError.self) { try VariantText.parse(text) }
    #expect(error?.position == position)
    #expect(error?.message == message)
  }

  @Test(
    "a text is not a value of another type",
    arguments: [
      ("1", "s", "expected a value of type s, found the number 1"),
      ("'1'", "i", "expected a value of type i, found the text '1'"),
      ("1.5", "i", "expected a value of type i, found the number 1.5"),
      ("-1", "u", "the number -1 is out of range for type u"),
      ("256", "y", "the number 256 is out of range for type y"),
      ("2147483648", "i", "the number 2147483648 is out of range for type i"),
      ("true", "i", "expected a value of type i, found the boolean true"),
      ("uint32 1", "i", "expected a value of type i, found a value of type u"),
      ("'a'", "o", "the text 'a' is not an object path"),
      ("'z'", "g", "the text 'z' is not a signature"),
      ("[1]", "i", "expected a value of type i, found an array"),
      ("['a']", "ai", "expected a value of type i, found the text 'a'"),
      ("(1, 2)", "(iii)", "expected a value of type (iii), found a tuple"),
      ("1", "v", "expected a value of type v, found the number 1"),
      ("1", "h", "expected a value of type h, found the number 1"),
    ])
  func mismatches(text: String, type: String, message: String) throws {
    let type = try #require(SingleType(code: type))
    let error = #expect(throws: VariantTextError.self) {
      try VariantText.parse(text).value(as: type)
    }
    #expect(error?.message == message)
  }

  @Test("a text matches the values that it means, whatever their type")
  func matching() throws {
    let one = try VariantText.parse("1")
    #expect(one.matches(.byte(1)) && one.matches(.int64(1)) && one.matches(.double(1)))
    #expect(!one.matches(.byte(2)) && !one.matches(.string("1")) && !one.matches(.boolean(true)))
    let path = try VariantText.parse("'/a'")
    #expect(path.matches(.objectPath("/a")) && path.matches(.string("/a")))
  }

  @Test("%v stands for a value in the arguments of a call")
  func placeholders() throws {
    func arguments(_ text: String, _ value: Value) throws -> [Value] {
      try VariantText.parse(text, options: .placeholder).arguments(substituting: value)
    }
    #expect(try arguments("%v", .uint32(3)) == [.uint32(3)])
    #expect(
      try arguments("('a', %v, true)", .byte(1)) == [.string("a"), .byte(1), .boolean(true)])
    #expect(try arguments("(<%v>,)", .byte(1)) == [.variant(.byte(1))])
    #expect(
      try arguments("[%v, 2]", .uint16(1)) == [.array(of: .uint16, [.uint16(1), .uint16(2)])])
    #expect(
      try arguments("({'on': <%v>}, uint32 5)", .boolean(true))
        == [.options([("on", .boolean(true))]), .uint32(5)])
    #expect(try arguments("'plain'", .byte(1)) == [.string("plain")])
    #expect(try arguments("@y %v", .byte(1)) == [.byte(1)])
    #expect(throws: VariantTextError.self) { try arguments("@u %v", .byte(1)) }
    #expect(throws: VariantTextError.self) { try arguments("[%v, 'a']", .byte(1)) }
    #expect(throws: VariantTextError.self) { try arguments("%x", .byte(1)) }
    #expect(throws: VariantTextError.self) {
      try VariantText.parse("%v", options: .placeholder).value()
    }
  }

  @Test("a text that nests too deep is an error, not an overflow of the stack")
  func depth() {
    for open in ["[", "(", "<", "{", "@av ", "@v <", "uint32 ", "{1: "] {
      #expect(throws: VariantTextError.self) {
        try VariantText.parse(String(repeating: open, count: 100_000))
      }
    }
  }

  @Test("no mutation of a good text is a trap")
  func mutations() {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func random(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    let alphabet = Array("[](){}<>'\"\\@%,: 0123456789xeE.+-abisuvoghtqndyU\u{0}é🦆\n".utf8)
    var parsed = 0
    for reading in Self.readings {
      for _ in 0..<200 {
        var bytes = Array(reading.text.utf8)
        for _ in 0...random(below: 3) {
          let place = random(below: bytes.count + 1)
          switch random(below: 3) {
          case 0: bytes.insert(alphabet[random(below: alphabet.count)], at: place)
          case 1 where place < bytes.count: bytes.remove(at: place)
          case 2 where place < bytes.count: bytes[place] = alphabet[random(below: alphabet.count)]
          default: break
          }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let mutated = try? VariantText.parse(text) else { continue }
        parsed += 1
        guard let value = try? mutated.value() else { continue }
        #expect(value.problem == nil)
        let again = try? VariantText.parse(value.text).value()
        #expect(again?.text == value.text)
      }
    }
    #expect(parsed > 100)
  }
}
