// SPDX-License-Identifier: MIT

import Glibc
import RowFiles
import Settings
import System
import TestSupport
import Testing

@Suite("Files of the disk")
struct DiskFilesTests {
  private let directory: TemporaryDirectory
  private let files = DiskFiles()

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("are read whole, up to 64 KiB")
  func contents() throws {
    let path = try directory.write("[Row]\n", to: "a.row")
    #expect(files.read(path) == .bytes(Array("[Row]\n".utf8)))
    let most = try directory.write(String(repeating: "x", count: 65_536), to: "b.row")
    #expect(files.read(most) == .bytes([UInt8](repeating: 0x78, count: 65_536)))
    let more = try directory.write(String(repeating: "x", count: 65_537), to: "c.row")
    #expect(files.read(more) == .tooLarge)
    let far = try directory.write(String(repeating: "x", count: 10_000_000), to: "d.row")
    #expect(files.read(far) == .tooLarge)
  }

  @Test("mask where they are empty or lead to /dev/null")
  func masks() throws {
    #expect(files.read(try directory.write("", to: "a.row")) == .mask)
    let link = directory.path("b.row")
    #expect(symlink("/dev/null", link) == 0)
    #expect(files.read(link) == .mask)
    let second = directory.path("c.row")
    #expect(symlink("b.row", second) == 0)
    #expect(files.read(second) == .mask)
  }

  @Test("are refused where they are something else, without waiting")
  func strange() throws {
    let path = try directory.makeDirectory("a.row")
    #expect(files.read(path) == .notRegular("a directory"))
    let fifo = directory.path("b.row")
    #expect(mkfifo(fifo, 0o600) == 0)
    #expect(files.read(fifo) == .notRegular("a FIFO"))
    let link = directory.path("c.row")
    #expect(symlink("/dev/zero", link) == 0)
    #expect(files.read(link) == .notRegular("a character device"))
  }

  @Test("that are missing or can't be read are told apart")
  func unreadable() throws {
    #expect(files.read(directory.path("gone.row")) == .missing)
    let loop = directory.path("loop.row")
    #expect(symlink("loop.row", loop) == 0)
    #expect(files.read(loop) == .unreadable(Errno(rawValue: ELOOP).description))
    let dangling = directory.path("dangling.row")
    #expect(symlink("gone.row", dangling) == 0)
    #expect(files.read(dangling) == .missing)
    // Root may read everything.
    if geteuid() != 0 {
      let closed = try directory.write("[Row]\n", to: "closed.row", mode: 0)
      #expect(files.read(closed) == .unreadable(Errno(rawValue: EACCES).description))
    }
  }

  @Test("are listed by directory")
  func listing() throws {
    try directory.write("", to: "d/b.row")
    try directory.write("", to: "d/a.row")
    let file = try directory.write("x", to: "file")
    #expect(files.list(directory.path("d")) == .names(["a.row", "b.row"]))
    #expect(files.list(directory.path("gone")) == .missing)
    #expect(files.list(file) == .unreadable(Errno(rawValue: ENOTDIR).description))
  }

  @Test("can be programs, looked for in PATH or at an absolute path")
  func programs() throws {
    let program = try directory.write("#!/bin/sh\n", to: "bin/tool", mode: 0o755)
    try directory.write("text", to: "bin/text")
    try directory.makeDirectory("bin/folder")
    let files = DiskFiles(searchPath: "/gone:" + directory.path("bin"))
    #expect(files.hasProgram("tool"))
    #expect(files.hasProgram(program))
    #expect(!files.hasProgram("text"))
    #expect(!files.hasProgram("folder"))
    #expect(!files.hasProgram("gone"))
    #expect(!files.hasProgram(directory.path("bin/gone")))
  }

  @Test("make a catalogue, whatever else lies beside them")
  func catalogue() throws {
    let row = "[Row]\nTitle=A\n[Backend]\nType=stored\n"
    try directory.write(row, to: "rows/a.row")
    try directory.write("[Row]\nTitle=B\n", to: "rows/a.row.d/x.conf")
    try directory.makeDirectory("rows/b.row")
    #expect(mkfifo(directory.path("rows/c.row"), 0o600) == 0)
    #expect(symlink("/dev/null", directory.path("rows/d.row")) == 0)
    #expect(symlink("e.row", directory.path("rows/e.row")) == 0)
    try directory.write(String(repeating: "x", count: 10_000_000), to: "rows/f.row")
    try directory.write("x", to: "rows/g.row.d")
    let rows = directory.path("rows")
    let catalogue = Catalogue.load(layers: [CatalogueLayer(rows)], scope: .session, from: files)
    #expect(catalogue.rows.values.map(\.title.untranslated) == ["B"])
    #expect(
      catalogue.errors.map(\.description) == [
        "\(rows)/b.row: this is a directory; expected a regular file",
        "\(rows)/c.row: this is a FIFO; expected a regular file",
        "\(rows)/e.row: the file can't be read: \(Errno(rawValue: ELOOP))",
        "\(rows)/f.row: the file is larger than 64 KiB; expected a row file",
        "\(rows)/g.row.d: the directory can't be read: \(Errno(rawValue: ENOTDIR))",
      ])
  }
}
