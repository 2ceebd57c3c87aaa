// SPDX-License-Identifier: MIT

import RowFiles
import Settings
import TestSupport
import Testing

@Suite("Checking row files")
struct CheckTests {
  private let directory: TemporaryDirectory
  private let good = "[Row]\nTitle=A\n[Backend]\nType=stored\n"

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// The findings with paths from the directory on.
  private func shown(_ findings: [Finding]) -> [String] {
    findings.map { finding in
      let text = finding.error.description.split(separator: directory.path + "/").joined()
      return "\(finding.severity.rawValue) \(text)"
    }
  }

  private func check(_ names: String...) -> [String] {
    shown(Check.files(names.map(directory.path)))
  }

  @Test("finds nothing in files that are right")
  func right() throws {
    try directory.write(good, to: "a.row")
    try directory.write("[Section]\nTitle=S\n", to: "s.section")
    try directory.write("[Row]\nOrder=1\n", to: "a.row.d/x.conf")
    try directory.write("", to: "masked.row")
    #expect(check("a.row", "s.section", "a.row.d/x.conf", "masked.row") == [])
    #expect(check() == [])
  }

  @Test("finds what is wrong with each file, sorted by file and line")
  func wrong() throws {
    try directory.write("[Row]\nOrder=x\n[Backend]\nType=file\n", to: "b.row")
    try directory.write("[Section]\nTitle=S\nX=1\nOrder\n", to: "a.section")
    try directory.write(good, to: "Bad.row")
    try directory.write(good, to: "a.txt")
    try directory.makeDirectory("dir.row")
    #expect(
      check("b.row", "a.section", "Bad.row", "a.txt", "dir.row", "gone.row", "b.row") == [
        "error Bad.row: the name 'Bad' is not an id; expected a to z, 0 to 9 and _, a letter "
          + "first, at most 64 characters",
        "error a.section:4: 'Order' is no setting; expected Key=value, [Group] or # comment",
        "error a.txt: 'a.txt' is not the name of a row file; expected ID.row, ID.section or "
          + "ID.row.d/NAME.conf",
        "error b.row:1: Title is missing in [Row]; expected a short name for people",
        "error b.row:2: Order is 'x'; expected a whole number from -2147483648 to 2147483647",
        "error b.row:3: Path is missing in [Backend]; expected an absolute path",
        "error dir.row: this is a directory; expected a regular file",
        "error gone.row: there is no such file; expected a row file",
      ])
  }

  @Test("takes a group's members and a row's section on trust in a file by itself")
  func alone() throws {
    try directory.write(
      "[Row]\nTitle=A\nSection=gone\n[Backend]\nType=group\nRows=gone\n", to: "a.row")
    #expect(check("a.row") == [])
  }

  @Test("takes what a drop-in leaves to its row on trust, and finds the rest")
  func dropIns() throws {
    try directory.write("[Row]\nLocked=true\n[Backend]\nOn='a'\n", to: "a.row.d/right.conf")
    try directory.write("[Row]\nTitle[es]=A\n[Backend]\nPath=/a\n", to: "a.row.d/also.conf")
    try directory.write("[Backend]\nRows=a;b\nInvert=true\n", to: "a.row.d/group.conf")
    #expect(check("a.row.d/right.conf", "a.row.d/also.conf") == [])
    #expect(
      check("a.row.d/group.conf") == [
        "error a.row.d/group.conf:2: Rows lists 'a', the row itself; expected other rows"
      ])
    try directory.write("[Row]\nOrder=x\n[Backend]\nInvert=y\n[Rows]\n", to: "a.row.d/wrong.conf")
    #expect(
      check("a.row.d/wrong.conf") == [
        "error a.row.d/wrong.conf:2: Order is 'x'; expected a whole number from -2147483648 to "
          + "2147483647",
        "error a.row.d/wrong.conf:4: Invert is 'y'; expected true or false",
        "error a.row.d/wrong.conf:5: there is no group [Rows] in a row; did you mean [Row]?",
      ])
    try directory.write(good, to: "other.d/x.conf")
    #expect(check("other.d/x.conf").count == 1)
  }

  @Test("warns of command lines that are written for a shell, and of each file by itself")
  func shells() throws {
    let command =
      "[Row]\nTitle=C\nRunOnChange=notify-send \"$TOGGLED_ROW\"\n[Backend]\n"
      + "Type=command\nState=a | b\nOn=sh -c 'a | b'\nOff=c\n"
    try directory.write(command, to: "rows/c.row")
    try directory.write("[Backend]\nOff=a && b\n", to: "rows/c.row.d/x.conf")
    try directory.write("[Row]\nTitle=F\n[Backend]\nType=file\nPath=/a\nOn=|\n", to: "rows/f.row")
    let own = [
      "warning rows/c.row:3: RunOnChange has '$TOGGLED_ROW' in it, which is a shell's to "
        + "understand, and none reads it; for one write sh -c '…'",
      "warning rows/c.row:6: State has '|' in it, which is a shell's to understand, and none reads "
        + "it; for one write sh -c '…'",
    ]
    #expect(check("rows/c.row", "rows/f.row") == own)
    // Of what key it is, the file by itself does not say.
    #expect(check("rows/c.row.d/x.conf") == [])
    #expect(
      check("rows") == own + [
        "warning rows/c.row.d/x.conf:2: Off has '&&' in it, which is a shell's to understand, and "
          + "none reads it; for one write sh -c '…'"
      ])
    try directory.write("[Backend]\nWatch=a >b\n", to: "rows/c.row.d/x.conf")
    #expect(check("rows/c.row.d/x.conf").count == 1)
  }

  @Test("takes a directory as one whole search path of both buses")
  func directories() throws {
    try directory.write(good, to: "rows/a.row")
    try directory.write("[Row]\nTitle=G\n[Backend]\nType=group\nRows=b\n", to: "rows/g.row")
    try directory.write(
      "[Row]\nTitle=S\nBus=system\nSection=gone\n[Backend]\nType=stored\n", to: "rows/s.row")
    let expected = [
      "error rows/g.row:5: Rows lists 'b', which is no row; expected b.row",
      "error rows/s.row:4: there is no file for the section 'gone'; expected gone.section, and the "
        + "row goes to 'other'",
    ]
    #expect(check("rows") == expected)
    #expect(check("rows/") == expected)
  }

  @Test("without files checks the search paths of both daemons, each finding once")
  func searchPaths() throws {
    try directory.write("nonsense\n", to: "data/toggled/rows/wrong.row")
    try directory.write(good, to: "data/toggled/rows/a.row")
    try directory.write(
      good.replacing("[Backend]", with: "TryExec=no-such-program\n[Backend]"),
      to: "config/toggled/rows/b.row")
    try directory.write("[Row]\nOrder=1\n", to: "config/toggled/rows/c.row.d/x.conf")
    let environment = [
      "XDG_DATA_DIRS": directory.path("data"), "XDG_CONFIG_HOME": directory.path("config"),
      "PATH": "/gone",
    ]
    let findings = Check.searchPaths { environment[$0] }
      .filter { $0.error.file.hasPrefix(directory.path) }
    #expect(
      shown(findings) == [
        "warning config/toggled/rows/b.row: the row is not published: its TryExec program "
          + "'no-such-program' is not there",
        "warning config/toggled/rows/c.row.d: there is no row 'c' for these drop-ins; expected "
          + "c.row",
        "error data/toggled/rows/wrong.row:1: 'nonsense' is no setting; expected Key=value, "
          + "[Group] or # comment",
      ])
  }
}
