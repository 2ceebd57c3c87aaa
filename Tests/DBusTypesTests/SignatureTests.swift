// SPDX-License-Identifier: MIT

import DBusTypes
import Testing

@Suite("Signatures")
struct SignatureTests {
  @Test(
    "a valid signature parses and prints as itself",
    arguments: [
      "", "y", "b", "n", "q", "i", "u", "x", "t", "d", "s", "o", "g", "h", "v", "as", "aas",
      "a{sv}", "a{oa{sa{sv}}}", "(i)", "(i(sv)a(uu))", "ssv", "a(sus)", "a{yh}", "aaaai",
      String(repeating: "a", count: 32) + "y",
      String(repeating: "(", count: 32) + "y" + String(repeating: ")", count: 32),
      String(repeating: "a(", count: 32) + "y" + String(repeating: ")", count: 32),
      String(repeating: "y", count: 255),
    ])
  func valid(text: String) throws {
    let signature = try #require(Signature(text))
    #expect(signature.rawValue == text)
    #expect(signature.types.map(\.code).joined() == text)
    #expect(Signature(signature.types) == signature)
  }

  @Test(
    "what is no signature does not parse",
    arguments: [
      "a", "aa", "()", "(", ")", "(i", "i)", "{sv}", "a{s}", "a{svv}", "a{vs}", "a{(i)s}",
      "a{ass}", "a{sv", "a{}", "z", "e", "r", "m", "i ", "é", "i\u{0}", "((i)", "a{s(}",
      String(repeating: "a", count: 33) + "y",
      String(repeating: "(", count: 33) + "y" + String(repeating: ")", count: 33),
      String(repeating: "y", count: 256), String(repeating: "(", count: 100_000),
      String(repeating: "a{s", count: 33) + "y" + String(repeating: "}", count: 33),
    ])
  func invalid(text: String) {
    #expect(Signature(text) == nil)
    #expect(SingleType(code: text) == nil)
  }

  @Test("a type is exactly one complete type")
  func singleTypes() {
    #expect(SingleType(code: "a{sv}") == .dictionary(key: .string, value: .variant))
    #expect(SingleType(code: "ss") == nil)
    #expect(SingleType(code: "") == nil)
    #expect(("ss" as Signature).single == nil)
    #expect(("(ss)" as Signature).single == .structure([.string, .string]))
  }

  @Test("types that no message can carry are not valid")
  func invalidTypes() {
    let invalid: [SingleType] = [
      .structure([]), .array(.structure([])), .dictionary(key: .variant, value: .string),
      .dictionary(key: .array(.byte), value: .string),
      .structure(Array(repeating: .byte, count: 254)),
      (0..<33).reduce(.byte) { type, _ in .array(type) },
      (0..<10_000).reduce(.byte) { type, _ in .structure([type]) },
    ]
    for type in invalid {
      #expect(!type.isValid)
      #expect(Signature([type]) == nil)
    }
    #expect(SingleType.structure(Array(repeating: .byte, count: 253)).isValid)
  }
}
