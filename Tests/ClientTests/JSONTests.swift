// SPDX-License-Identifier: MIT

import Testing

@testable import Client

@Suite("JSON and timestamps")
struct JSONTests {
  @Test(
    "strings are escaped",
    arguments: [
      ("plain", #""plain""#),
      ("", #""""#),
      ("a\"b\\c/", #""a\"b\\c/""#),
      ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#),
      ("\u{0}\u{1f}\u{7f}", #""\u0000\u001f\u007f""#),
      ("\u{85}\u{9b}31m", #""\u0085\u009b31m""#),
      ("\u{2028}\u{2029}", #""\u2028\u2029""#),
      ("Día 日本 👍🏽", #""Día 日本 👍🏽""#),
      ("\r\n", #""\r\n""#),
    ])
  func strings(string: String, expected: String) {
    #expect(JSON.string(string).text == expected)
  }

  @Test("values keep their order and nest")
  func values() {
    let value = JSON.object([
      .init("z", .int(Int64.min)), .init("a", .array([.null, .bool(true), .bool(false)])),
      .init("é\"", .object([])), .init("e", .array([])),
    ])
    #expect(value.text == #"{"z":-9223372036854775808,"a":[null,true,false],"é\"":{},"e":[]}"#)
  }

  @Test("an answer is one array with an element a line")
  func lines() {
    #expect(JSON.lines([]) == "[]\n")
    #expect(JSON.lines([.int(1)]) == "[1]\n")
    #expect(JSON.lines([.int(1), .string("a\nb")]) == "[1,\n \"a\\nb\"]\n")
  }

  @Test(
    "moments are RFC 3339 in UTC",
    arguments: [
      (0, "1970-01-01T00:00:00Z"),
      (1, "1970-01-01T00:00:00.000001Z"),
      (951_782_400_000_000, "2000-02-29T00:00:00Z"),
      (951_868_799_999_999, "2000-02-29T23:59:59.999999Z"),
      (951_868_800_000_000, "2000-03-01T00:00:00Z"),
      (1_706_572_800_000_000, "2024-01-30T00:00:00Z"),
      (1_709_251_200_000_000, "2024-03-01T00:00:00Z"),
      (1_735_689_599_000_000, "2024-12-31T23:59:59Z"),
      (1_796_061_720_500_000, "2026-11-30T18:02:00.500000Z"),
      (4_107_542_400_000_000, "2100-03-01T00:00:00Z"),
      (253_402_300_799_000_000, "9999-12-31T23:59:59Z"),
    ] as [(UInt64, String)])
  func moments(microseconds: UInt64, expected: String) {
    #expect(Timestamp.rfc3339(microseconds: microseconds) == expected)
  }

  @Test("a moment that RFC 3339 can't write is none")
  func farFuture() {
    #expect(Timestamp.rfc3339(microseconds: 253_402_300_800_000_000) == nil)
    #expect(Timestamp.rfc3339(microseconds: .max) == nil)
  }
}
