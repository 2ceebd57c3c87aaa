// SPDX-License-Identifier: MIT

import Testing

@testable import Settings

@Suite("What is meant for a shell")
struct ShellSyntaxTests {
  @Test(
    "is found in a command line",
    arguments: [
      ("a | b", "|"), ("a|b", "a|b"), ("a || b", "||"), ("a && b", "&&"), ("a &", "&"),
      ("a; b", "a;"), ("a > b", ">"), ("a >b", ">b"), ("a >>b", ">>b"),
      ("a 2>/dev/null", "2>/dev/null"),
      ("a &>b", "&>b"), ("a 2>&1", "2>&1"), ("ls ~", "~"), ("ls ~/b", "~/b"),
      ("~/bin/a", "~/bin/a"),
      ("a $HOME", "$HOME"), ("a ${HOME}", "${HOME}"), ("a $(id)", "$(id)"), ("a `id`", "`id`"),
      (#"a "x $HOME""#, "x $HOME"), (#"a "b"|c"#, "b|c"), ("a --x=$y sh -c b", "--x=$y"),
      ("crash | sh", "|"), ("a < b", "<"), ("a <b", "<b"), ("a 0<b", "0<b"), ("a <<END", "<<END"),
      ("A=1 b", "A=1"), ("_A2='x y' b", "_A2=x y"), ("a\n|\rb", "|"), ("a\n/b\r~", "~"),
      ("cat /sys/class/*/a", "/sys/class/*/a"), ("a /b/c?", "/b/c?"), ("a /b/c[0-9]", "/b/c[0-9]"),
      (#"a "b\"$HOME""#, #"b"$HOME"#), (#"a \\|b"#, #"\|b"#),
    ])
  func found(_ text: String, _ word: String) {
    #expect(ShellSyntax.firstWord(in: text) == word)
  }

  @Test(
    "is not found where a program is meant, or a shell is there to understand it",
    arguments: [
      "a", "a A=1", "'A'=1 b", #"A\x3d1 b"#, "1A=1 b", "=1 b", "env A=1 b", "a 'b\\'$HOME'",
      #"a 'b\'|'"#, "a '<' \"<b\" b<c", "a <true> <@u1>",
      "a '/b/*' /b/\"*\" *.b http://b/?c=1 /b.*/p [] [b]",
      "a 'x | y'", #"a "x | y""#, "awk '{print $2}'", "a '$HOME'", "a $1 $", #"a \$HOME"#,
      "find / -exec b {} ; -name *", "a b&c=d", "a b~ x~/y '~/b'", "a -> b", "sh -c a | b > $HOME",
      "/bin/bash -c 'a | b'", "env X=1 sh -c 'a' > b", #"a \| \> \&"#, "", "a 'b", #"a \"#,
      "busctl call a b c d b true", "a @DEFAULT_SINK@ 0", "a 50% *",
    ])
  func notFound(_ text: String) {
    #expect(ShellSyntax.firstWord(in: text) == nil)
  }
}
