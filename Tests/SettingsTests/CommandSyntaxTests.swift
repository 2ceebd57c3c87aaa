// SPDX-License-Identifier: MIT

import Testing

@testable import Settings

@Suite("Command lines")
struct CommandSyntaxTests {
  @Test(
    "are split as in ExecStart, without a shell",
    arguments: [
      ("a", ["a"]), ("/bin/a  b\tc ", ["/bin/a", "b", "c"]),
      (#"a "b c" 'd e'"#, ["a", "b c", "d e"]),
      (#"a b"c d"e"#, ["a", "bc de"]), (#"a "" ''"#, ["a", "", ""]),
      (
        #"a "it's" 'say "x"'"#,
        ["a", "it's", #"say "x""#]
      ),
      (#"a \"b\sc\\d\'"#, ["a", #""b c\d'"#]), (#"a \x41\101\u00e9\U0001F600"#, ["a", "AAé😀"]),
      (#"a \n\t"#, ["a", "\n\t"]),
      (
        "a $HOME %i ; | & > b",
        [
          "a", "$HOME", "%i", ";", "|", "&", ">",
          "b",
        ]
      ),
      (#"a \xc3\xa9"#, ["a", "é"]), (#""my program" x"#, ["my program", "x"]),
      ("-a", ["-a"]),
    ])
  func split(_ text: String, _ expected: [String]) throws {
    #expect(try CommandSyntax.split(text) == expected)
  }

  @Test(
    "are told apart from everything else",
    arguments: [
      ("", "a program is missing"), ("  ", "a program is missing"),
      ("a 'b", "the quote ' is not closed"), ("a \"b", "the quote \" is not closed"),
      (#"a \"#, #"nothing follows the last \"#),
      (#"a \q"#, #"\q is no escape; for a \ itself write \\\\"#),
      ("bin/a", "the program 'bin/a' is neither an absolute path nor a name"),
      ("'' a", "the program '' is neither an absolute path nor a name"),
      (#"a \x4"#, "an escape is not followed by 2 digits that make a character"),
      (#"a \x00"#, "an escape is not followed by 2 digits that make a character"),
      (#"a \u12"#, "an escape is not followed by 4 digits that make a character"),
      (#"a \u+123"#, "an escape is not followed by 4 digits that make a character"),
      (#"a \ud800"#, "U+d800 is no character"), (#"a \xff"#, "an argument is not valid UTF-8"),
      (#"a \777"#, #"\7 is no escape; for a \ itself write \\\\"#),
    ])
  func refused(_ text: String, _ expected: String) {
    let error = #expect(throws: CommandLineError.self) { try CommandSyntax.split(text) }
    #expect(error?.message == expected)
  }
}
