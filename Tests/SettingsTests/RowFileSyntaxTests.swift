// SPDX-License-Identifier: MIT

import Testing

@testable import Settings

@Suite("The syntax of row files")
struct RowFileSyntaxTests {
  private func parse(_ bytes: [UInt8]) -> (file: RowFile, errors: [String]) {
    let (file, findings) = RowFileParser.parse(bytes, file: "f")
    return (file, findings.all(in: "f").map(\.description))
  }

  private func parse(_ text: String) -> (file: RowFile, errors: [String]) {
    parse(Array(text.utf8))
  }

  @Test("has groups of keys, with locales, lines, comments and blank lines")
  func shape() throws {
    let (file, errors) = parse(
      """
      # A comment before all

      [Row]
      Title=Night = day
      Title[es_ES.UTF-8@x]=Noche
        Subtitle  =  between words\t
      # Order=1
      X-Own=left alone
      X-Own=left alone
      [X-Mine]
      Title=left alone
      nonsense[=left alone
      [Backend]
      Type=stored
      """)
    #expect(
      errors == [
        "f:12: 'nonsense[' is no key; expected letters, digits and -, such as "
          + "Title or Title[es]"
      ])
    #expect(file.groups.map(\.name) == ["Row", "Backend"])
    let entries = try #require(file.group("Row")).entries
    #expect(entries.map(\.key) == ["Title", "Title", "Subtitle"])
    #expect(entries.map(\.locale) == ["", "es_ES@x", ""])
    #expect(entries.map(\.value) == ["Night = day", "Noche", "between words"])
    #expect(entries.map(\.place.line) == [4, 5, 6])
    #expect(file.group("Backend")?.place.line == 13)
  }

  @Test("takes a BOM and CRLF, and a last line without an end")
  func lineEnds() throws {
    let (file, errors) = parse("\u{feff}[Row]\r\nTitle=A\r\n\r\n# b\r\nOrder=1\r")
    #expect(errors.isEmpty)
    #expect(try #require(file.group("Row")).entries.map(\.value) == ["A", "1"])
    #expect(try #require(file.group("Row")).entries.map(\.place.line) == [2, 5])
  }

  @Test(
    "is told apart from everything else, with the line",
    arguments: [
      ("Title=A", "f:1: Title stands before the first group; expected [Row] first"),
      ("[Row]\nTitle", "f:2: 'Title' is no setting; expected Key=value, [Group] or # comment"),
      ("[Row]\n=A", "f:2: '=A' is no setting; expected Key=value, [Group] or # comment"),
      ("[Row", "f:1: '[Row' is no group; expected [Name]"),
      ("[]", "f:1: '[]' is no group; expected [Name]"),
      ("[", "f:1: '[' is no group; expected [Name]"),
      ("[Row] # x", "f:1: '[Row] # x' is no group; expected [Name]"),
      ("[a[b]]", "f:1: '[a[b]]' is no group; expected [Name]"),
      (
        "[Row]\nA\n[Row]\nTitle=A\nB",
        "f:2: 'A' is no setting; expected Key=value, [Group] or "
          + "# comment"
      ),
      (
        "[Row]\nA=1\n[Other]\nA=1\n[Row]\nA=1",
        "f:5: the group [Row] is given twice; it begins on line 1"
      ),
      ("[Row]\nA=1\nA=2\n", "f:3: A is given twice; the first is on line 2"),
      ("[Row]\nA[es]=1\nA[es.UTF-8]=2", "f:3: A[es] is given twice; the first is on line 2"),
      (
        "[Row]\nBad Key=1",
        "f:2: 'Bad Key' is no key; expected letters, digits and -, such as "
          + "Title or Title[es]"
      ),
      (
        "[Row]\nA[]=1",
        "f:2: 'A[]' is no key; expected letters, digits and -, such as Title or "
          + "Title[es]"
      ),
      (
        "[Row]\nA[e/s]=1",
        "f:2: 'A[e/s]' is no key; expected letters, digits and -, such as Title "
          + "or Title[es]"
      ),
      ("[Row]\n[es]=1", "f:2: '[es]=1' is no group; expected [Name]"),
      ("[Row]\nA=\u{1}", "f:2: the line holds the control byte 0x01; expected text"),
      ("[Row]\nA=\0", "f:2: the line holds the control byte 0x00; expected text"),
      ("[Row]\nA=\u{7f}", "f:2: the line holds the control byte 0x7f; expected text"),
      ("[Row]\rA=1", "f:1: the line holds the control byte 0x0d; expected text"),
    ])
  func errors(_ text: String, _ expected: String) {
    #expect(parse(text).errors.first == expected)
  }

  @Test("reports everything in one pass")
  func allErrors() {
    let (_, errors) = parse("A=1\n[Row]\nB\nC=1\nC=2\n[Row]\nD\n[x\nE=1\n")
    #expect(
      errors == [
        "f:1: A stands before the first group; expected [Row] first",
        "f:3: 'B' is no setting; expected Key=value, [Group] or # comment",
        "f:5: C is given twice; the first is on line 4",
        "f:6: the group [Row] is given twice; it begins on line 2",
        "f:7: 'D' is no setting; expected Key=value, [Group] or # comment",
        "f:8: '[x' is no group; expected [Name]",
      ])
  }

  @Test(
    "names the line that is not UTF-8", arguments: [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0x80]])
  func invalidUTF8(_ bytes: [UInt8]) {
    let text = Array("[Row]\nTitle=é\nSubtitle=".utf8) + bytes + Array("\nOrder=1\n".utf8)
    #expect(parse(text).errors == ["f:3: the line is not valid UTF-8; expected text in UTF-8"])
  }

  @Test("has a limit of 64 KiB")
  func size() {
    let head = Array("[Row]\nTitle=A\n#".utf8)
    let fill = [UInt8](repeating: UInt8(ascii: "x"), count: 65536 - head.count)
    #expect(parse(head + fill).errors.isEmpty)
    let (file, errors) = parse(head + fill + [UInt8(ascii: "x")])
    #expect(errors == ["f: the file is larger than 64 KiB; expected a row file"])
    #expect(file.groups.isEmpty)
  }

  @Test("lists no more than 50 findings and counts the rest")
  func limit() {
    let (_, errors) = parse(String(repeating: "x\n", count: 60))
    #expect(errors.count == 51)
    #expect(errors.last == "f: 10 more findings; only the first 50 are listed")
  }

  @Test("shows long and strange text short and clean in messages")
  func quoting() {
    let long = String(repeating: "é", count: 100)
    #expect(quoted(long) == "'" + String(repeating: "é", count: 60) + "…'")
    #expect(quoted("a\u{1b}[31m\u{9b}b\n") == "'a?[31m?b?'")
  }

  @Test(
    "has the escapes of desktop entry files",
    arguments: [
      (#"plain"#, "plain"), (#"\sa\s"#, " a "), (#"a\nb\tc\rd"#, "a\nb\tc\rd"), (#"a\\b"#, #"a\b"#),
      (#"a\;b"#, "a;b"), (#"a;b"#, "a;b"), (#"\\n"#, #"\n"#), ("", ""), (#"é\s"#, "é "),
    ])
  func escapes(_ value: String, _ expected: String) throws {
    #expect(try RowFile.text(value) == expected)
  }

  @Test(
    "has no other escapes",
    arguments: [(#"a\qb"#, #"\q"#), (#"a\"#, #"\"#), (#"\é"#, #"\"#), (#"\\\"#, #"\"#)])
  func badEscapes(_ value: String, _ escape: String) {
    let error = #expect(throws: EscapeError.self) { try RowFile.text(value) }
    #expect(error?.escape == escape)
    #expect(throws: EscapeError.self) { try RowFile.list(value) }
  }

  @Test(
    "has lists with ; between, one more at the end allowed",
    arguments: [
      ("a;b;c", ["a", "b", "c"]), ("a;b;", ["a", "b"]), ("a", ["a"]), ("a;", ["a"]), ("", []),
      (";", [""]), (";;", ["", ""]), ("a;;b", ["a", "", "b"]), (#"a\;b;c"#, ["a;b", "c"]),
      (#"a\\;b"#, [#"a\"#, "b"]), (" a ; b ; ", ["a", "b"]), (#"\sa\s;b"#, [" a ", "b"]),
      (#"a\;"#, ["a;"]), ("é;ü", ["é", "ü"]),
    ])
  func lists(_ value: String, _ expected: [String]) throws {
    #expect(try RowFile.list(value) == expected)
  }

  @Test("lets a drop-in add and replace single keys, translations apart")
  func amending() {
    let (base, _) = parse("[Row]\nTitle=A\nTitle[es]=B\nOrder=1\n[Backend]\nType=stored\n")
    let (dropIn, _) = parse("[Row]\nTitle=C\nStyle=button\n[Portal]\nKey=k\n")
    let merged = base.amended(by: dropIn)
    let entries = merged.groups.flatMap(\.entries).map { "\($0.key)[\($0.locale)]=\($0.value)" }
    #expect(
      entries == [
        "Title[]=C", "Title[es]=B", "Order[]=1", "Style[]=button", "Type[]=stored", "Key[]=k",
      ])
  }
}
